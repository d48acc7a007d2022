import { randomBytes } from 'node:crypto'
import { openConnection } from './connection.ts'
import { activityBody, type Credentials, createStamper } from './stamping.ts'

/**
 * The loader's process. `bench/loading.ts` forks it and gives it one `LoaderRun` after another; it answers each with a
 * `LoaderResult`. Every request has its own body. All are stamped before the first is sent.
 */
export type LoaderRun = Target & {
  readonly url: string
  /** Further organizations. Each connection is for one or several of them all. */
  readonly more?: readonly Target[]
  readonly connections: number
  readonly requests: number
}

export type Target = {
  readonly credentials: Credentials
  /** The address that signs. */
  readonly signWith: string
}

export type LoaderResult = {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The size of one answer, to see that both servers send about as much. */
  readonly answerBytes: number
}

process.on('message', (run: LoaderRun) => {
  load(run).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))

async function load({
  url,
  credentials,
  signWith,
  more = [],
  connections,
  requests,
}: LoaderRun): Promise<LoaderResult> {
  const targets = [{ credentials, signWith }, ...more]
  // Organizations are not equally fast, and none may run out of requests.
  const each = targets.length === 1 ? requests : Math.ceil((2 * requests) / targets.length)
  const prepared = targets.map((target) => prepare(target, each))
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(url)))
  const latenciesMs = new Float64Array(requests)
  let next = 0
  let answerBytes = 0

  const startMs = performance.now()
  await Promise.all(
    opened.map(async (connection, place) => {
      const own = prepared.filter((_, at) => at % connections === place || place % targets.length === at)
      for (let index = next++; index < requests; index = next++) {
        const request = own[index % own.length]?.pop()
        if (request === undefined) throw new Error('as many requests are prepared as are sent')
        const sentMs = performance.now()
        const { status, body } = await connection.exchange(request)
        latenciesMs[index] = performance.now() - sentMs
        if (status !== 200) throw new Error(`an answer ${status}: ${body}`)
        answerBytes = body.length
      }
    }),
  )
  const seconds = (performance.now() - startMs) / 1000

  for (const connection of opened) connection.close()
  latenciesMs.sort()
  const at = (share: number) => latenciesMs[Math.min(requests - 1, Math.floor(share * requests))] ?? 0
  return { requestsPerSecond: requests / seconds, p50Ms: at(0.5), p99Ms: at(0.99), answerBytes }
}

function prepare({ credentials, signWith }: Target, requests: number): Buffer[] {
  const stamped = createStamper(credentials)
  return Array.from({ length: requests }, () => {
    const parameters = {
      signWith,
      payload: randomBytes(32).toString('hex'),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    }
    const body = activityBody(credentials.organizationId, 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', parameters)
    return stamped('/public/v1/submit/sign_raw_payload', body)
  })
}
