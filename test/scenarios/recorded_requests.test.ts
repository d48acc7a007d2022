import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { startInProcess } from '../support/in_process.ts'
import recorded from '../vectors/recorded_requests.json' with { type: 'json' }

/** Recorded requests of unmodified public clients, byte for byte, to a server on which they succeed. */

const organizationId = 'e0a16522-d6a2-49a1-bdfa-8f2917d329c2'
const nowMs = 1_795_239_860_000

const results = {
  whoami: { status: 200, body: { organizationId, username: 'root' } },
  'http-whoami': { status: 200, body: { organizationId, username: 'root' } },
  createWallet: {
    status: 200,
    body: {
      activity: {
        status: 'ACTIVITY_STATUS_COMPLETED',
        type: 'ACTIVITY_TYPE_CREATE_WALLET',
        intent: { createWalletIntent: { walletName: 'w1', mnemonicLength: 12 } },
        result: { createWalletResult: { addresses: [expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)] } },
      },
    },
  },
  signRawPayload: {
    status: 404,
    body: { code: 5, message: expect.stringContaining('Could not find any resource to sign with.') },
  },
} as const

for (const dialect of ['spec', 'hosted'] as const) {
  for (const [name, result] of Object.entries(results)) {
    test(`${name} as it was recorded is answered ${result.status} in the dialect ${dialect}`, async () => {
      const { submit } = await startAsRecorded()
      expect(await submit(requestNamed(name), dialect)).toMatchObject(result)
    })

    test(`${name} as it was recorded, with one byte more, is answered 401 in the dialect ${dialect}`, async () => {
      const { submit } = await startAsRecorded()
      const request = requestNamed(name)
      const changed = { ...request, body: request.body.replace(/\}$/, ' }') }
      expect(await submit(changed, dialect)).toMatchObject({ status: 401, body: { code: 16 } })
    })
  }
}

test('createWallet as it was recorded, sent again as it was recorded, is one wallet', async () => {
  const { submit } = await startAsRecorded()
  const first = await submit(requestNamed('createWallet'), 'spec')
  const again = await submit(requestNamed('createWallet'), 'spec')
  expect(again).toEqual(first)
})

for (const [laterMs, status] of [
  [60 * 60 * 1000, 200],
  [60 * 60 * 1000 + 1, 400],
] as const) {
  test(`createWallet as it was recorded, ${laterMs} ms after it was, is answered ${status}`, async () => {
    const { timestampMs } = JSON.parse(requestNamed('createWallet').body)
    const { submit } = await startAsRecorded(Number(timestampMs) + laterMs)
    expect((await submit(requestNamed('createWallet'), 'spec')).status).toBe(status)
  })
}

type Recorded = { readonly path: string; readonly headers: { readonly 'x-stamp': string }; readonly body: string }

function requestNamed(name: string): Recorded {
  const found = recorded.requests.find((request) => request.name === name)
  if (found === undefined) throw new Error(`nothing was recorded as ${name}`)
  return found
}

/** Starts a server with the organization, the API key and the time of the recording. */
async function startAsRecorded(atMs: number = nowMs) {
  const ids = [organizationId]
  const server = await startInProcess({ nowMs: () => atMs, newId: () => ids.shift() ?? randomUUID() })
  onTestFinished(() => server.close())
  const stamp = JSON.parse(Buffer.from(requestNamed('whoami').headers['x-stamp'], 'base64url').toString('utf8'))
  const made = await server.vault.createOrganization({
    organizationName: 'Recorded',
    userName: 'root',
    userEmail: undefined,
    apiKeyName: 'recorded',
    apiPublicKey: stamp.publicKey,
  })
  expect(made.organizationId).toBe(organizationId)
  expect(await server.store.commit(made.commit)).toBe('committed')

  return {
    async submit({ path, headers, body }: Recorded, dialect: 'spec' | 'hosted') {
      const stamps = [{ header: 'x-stamp', value: headers['x-stamp'] }] as const
      const answer = await server.submit({ path, body: Buffer.from(body), stamps, dialect })
      return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
    },
  }
}
