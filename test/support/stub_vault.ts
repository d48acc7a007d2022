import { createHash } from 'node:crypto'
import { bytesIn } from '../../src/link/channel/lanes.ts'
import { UnsealError } from '../../src/vault/keys/wrapped_seed.ts'
import { runVault } from '../../src/vault/process/run_vault.ts'
import { emptyLog } from './empty_log.ts'

/**
 * A vault's process without a vault, for tests of the code around it. `startVault` starts it with this file as the
 * entry. `answer` does what the path says. The state is the text `state-of-<pid>`; the state `refused` does not open, and
 * the state `slow` opens in one step of six seconds.
 */
await runVault((_settings, { log }) => ({
  async unseal({ vaultState }) {
    if (vaultState === undefined) return { kind: 'initialized', vaultState: Buffer.from(`state-of-${process.pid}`) }
    if (Buffer.from(vaultState).toString() === 'refused') throw new UnsealError('the wrong key')
    if (Buffer.from(vaultState).toString() === 'slow') stand(6_000)
    return { kind: 'unsealed' }
  },

  async answer({ path, body, presented }) {
    switch (path) {
      case '/digest':
        return answerOf(createHash('sha256').update(body).digest())
      case '/pid':
        return answerOf(Buffer.from(String(process.pid)))
      case '/environment':
        return answerOf(Buffer.from(JSON.stringify(process.env)))
      case '/log':
        log.warn({ path }, 'asked for the log')
        return answerOf(new Uint8Array())
      case '/die':
        return process.exit(3)
      case '/presented':
        return answerOf(Buffer.from(String(bytesIn(presented))))
      case '/records':
        // Asks for a record, and never answers when it has one.
        if (presented.length > 0) return new Promise(() => {})
        return { kind: 'moreReads', reads: [{ read: 'record', organizationId: '', kind: 'user', recordId: '' }] }
      case '/hang':
        return new Promise(() => {})
      case '/block':
        // Deaf: it sees neither requests nor the end of the channel. It ends after a minute if nothing kills it.
        stand(60_000)
        return answerOf(new Uint8Array())
      default:
        throw named('TypeError', `no path ${path}`)
    }
  },

  async createOrganization() {
    throw named('Failure', 'not in a stub')
  },

  async openMessage() {
    return { kind: 'expired' }
  },

  confirm: async () => ({ kind: 'unknown' }),
  publishLog: async () => emptyLog,
  scrub: async () => ({
    wanted: { of: 'nothing', report: { entries: 0, late: 0, unconfirmed: 0, restored: 0, incidents: 0 } },
    incidents: [],
  }),
  condition: async () => ({ refusal: undefined, clock: undefined }),
  async publishedKeys() {
    return { bundleSigning: { compressed: '02', uncompressed: '04' } }
  },
}))

/** Does nothing else meanwhile, as in a step that takes as long. */
function stand(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function answerOf(body: Uint8Array) {
  return { kind: 'answer', status: 200, body } as const
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name })
}
