import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openConnection } from './connection.ts'
import type { LoaderResult } from './loader.ts'
import { medianOf, startLoader } from './loading.ts'
import { type Client, createSigner, residentMemory, startClaviger, submit } from './servers.ts'
import { activityBody, createStamper } from './stamping.ts'

/**
 * Measures a signature that a velocity control counts, where the control has many buckets, and where it has ten. The
 * many buckets may cost at most a tenth of the rate; the exit code is 1 if they cost more.
 *
 *     node bench/controls.ts [--buckets 100000] [--connections 1,16] [--rounds 3] [--scale 1] [--json]
 *
 * The control has no end and a bucket for each wallet or private key, so private keys are made, sign once, and are
 * deleted. Their buckets stay.
 */
const { values: options } = parseArgs({
  options: {
    buckets: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '1,16' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})
const bucketsFew = 10
const ratioMin = 0.9
const keysAtOnce = 100
const signing = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'

const folder = await mkdtemp(join(tmpdir(), 'claviger-controls-'))
const servers = [await startClaviger(join(folder, 'few')), await startClaviger(join(folder, 'many'))] as const
const loader = startLoader()
try {
  const [few, many] = [await prepare(servers[0], bucketsFew), await prepare(servers[1], Number(options.buckets))]
  if (!options.json) console.log('connections  few/s  many/s  ratio')
  for (const connections of options.connections.split(',').map(Number)) {
    const requests = Math.ceil(2_000 * Number(options.scale) * Math.min(connections, 4))
    const results = { few: [] as LoaderResult[], many: [] as LoaderResult[] }
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      const [one, other] = [await rateOf(few), await rateOf(many)]
      // The first round warms up.
      if (round === 0) continue
      results.few.push(one)
      results.many.push(other)
    }
    report(connections, medianOf(results.few), medianOf(results.many))

    function rateOf(signer: Client & { readonly signWith: string }): Promise<LoaderResult> {
      return loader.run({ ...signer, connections, requests })
    }
  }
  const memory = await residentMemory(servers[1])
  console.log(
    options.json
      ? JSON.stringify(memory)
      : `the vault of the many uses ${Math.round((memory.vault ?? 0) / 2 ** 20)} MiB`,
  )
} finally {
  loader.stop()
  for (const server of servers) await server.stop()
  await rm(folder, { recursive: true, force: true })
}

function report(
  connections: number,
  { requestsPerSecond: few }: LoaderResult,
  { requestsPerSecond: many }: LoaderResult,
): void {
  const ratio = many / few
  if (ratio < ratioMin) process.exitCode = 1
  const columns = [connections, Math.round(few), Math.round(many), ratio.toFixed(2)]
  if (options.json) console.log(JSON.stringify({ connections, few, many, ratio }))
  else console.log(columns.map((column) => String(column).padStart(8)).join(''))
}

/** Makes the control and its buckets, and a wallet that signs. */
async function prepare(client: Client, buckets: number): Promise<Client & { readonly signWith: string }> {
  const filter = { activity: [{ activityType: signing }] }
  await submit(client, {
    name: 'create_velocity_control',
    type: 'ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL',
    parameters: {
      name: 'signatures',
      identifier: 'signatures',
      dataSource: { activityExecution: { filter } },
      aggregation: {
        method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
        operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
        threshold: '1000000',
        window: { infinite: {} },
        groupBy: { wallet: {} },
      },
    },
  })
  for (let made = 0; made < buckets; made += keysAtOnce) await fill(client, made, Math.min(keysAtOnce, buckets - made))
  const { signWith } = await createSigner(client)
  return { ...client, signWith }
}

/** Makes some private keys, signs once with each, and deletes them. */
async function fill(client: Client, first: number, count: number): Promise<void> {
  const { privateKeys } = await submit(client, {
    name: 'create_private_keys',
    type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
    parameters: {
      privateKeys: Array.from({ length: count }, (_, index) => ({
        privateKeyName: `key ${first + index}`,
        curve: 'CURVE_SECP256K1',
        privateKeyTags: [],
        addressFormats: [],
      })),
    },
  })
  const made: readonly { readonly privateKeyId: string }[] = Array.isArray(privateKeys) ? privateKeys : []
  const privateKeyIds = made.map(({ privateKeyId }) => privateKeyId)
  const { organizationId } = client.credentials
  const stamped = createStamper(client.credentials)
  const waiting = [...privateKeyIds]
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      const connection = await openConnection(client.url)
      for (let signWith = waiting.pop(); signWith !== undefined; signWith = waiting.pop()) {
        const parameters = {
          signWith,
          payload: 'bench',
          encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
          hashFunction: 'HASH_FUNCTION_KECCAK256',
        }
        const body = activityBody(organizationId, signing, parameters)
        const { status, body: answer } = await connection.exchange(stamped('/public/v1/submit/sign_raw_payload', body))
        if (status !== 200) throw new Error(`a signature was answered ${status}: ${answer}`)
      }
      connection.close()
    }),
  )
  const parameters = { privateKeyIds, deleteWithoutExport: true }
  await submit(client, { name: 'delete_private_keys', type: 'ACTIVITY_TYPE_DELETE_PRIVATE_KEYS', parameters })
}
