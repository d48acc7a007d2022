import type { VaultCondition } from '../../link/verbs.ts'
import { textOfError } from '../../protocol/tools/error_text.ts'
import { singleFlight } from '../../protocol/tools/single_flight.ts'
import type { Log } from '../process/log.ts'
import type { Store } from '../store/store.ts'
import type { VaultClient } from '../vault/client.ts'
import type { Readiness } from './server.ts'

type ConditionalVault = Pick<VaultClient, 'state' | 'condition'>

/** Requests that were refused since the start because the database is not the one that the vault last used. */
export type Mismatches = { count: number; lastMs: number }

type ReadinessParts = {
  readonly store: Pick<Store, 'health'>
  readonly vault: ConditionalVault
  readonly mismatches: Readonly<Mismatches>
  /** The trouble with the disk of the data folder. */
  readonly disk: () => string | undefined
  /** The troubles with witnesses of the transparency log. */
  readonly witnesses?: () => readonly string[]
  readonly log: Pick<Log, 'info' | 'warn'>
}

/**
 * Returns what tells whether this node should be sent requests, and why not. A clock, a contradicting database, a witness
 * that does not cosign or a full disk is only mentioned: the database reuses its files, so changes may go on for long. The log has a line when the reasons change: a load balancer asks every second.
 */
export function createReadiness({
  store,
  vault,
  mismatches,
  disk,
  witnesses = () => [],
  log,
}: ReadinessParts): () => Promise<Readiness> {
  let logged = ''

  function logChange(reasons: readonly string[], error: Error | undefined): void {
    const current = [...reasons, ...(error === undefined ? [] : [error.message])].join('\n')
    if (current === logged) return
    logged = current
    if (current === '') log.info({}, 'ready again')
    else log.warn({ reasons, ...(error === undefined ? {} : { error }) }, 'not ready')
  }

  // Strangers may ask as often as they like, past the turns of requests.
  return singleFlight(async () => {
    const { readError, writeError } = await store.health()
    const { silence, refusal, clock } = await conditionOf(vault)
    const reasons = [
      ...(silence === undefined ? [] : [silence]),
      ...(readError === undefined ? [] : ['the database cannot be read']),
      ...(writeError === undefined ? [] : ['the database cannot be written']),
      // Changes and signatures are refused; what is only read goes on.
      ...(refusal === undefined ? [] : [refusal]),
    ]
    logChange(reasons, readError ?? writeError)
    const mentioned = [clock, disk()].filter((text) => text !== undefined)
    return {
      ready: reasons.length === 0,
      reasons: [...reasons, ...mentioned, ...witnesses(), ...mismatched(mismatches)],
    }
  })
}

/** `silence`: why the vault answers nothing; undefined if it does. */
async function conditionOf(vault: ConditionalVault): Promise<Partial<VaultCondition> & { readonly silence?: string }> {
  try {
    return vault.state() === 'ready' ? await vault.condition() : { silence: `the vault is ${vault.state()}` }
  } catch (error) {
    return { silence: `the vault does not answer: ${textOfError(error)}` }
  }
}

/** No reason to send requests elsewhere: every other organization is served, and no other node would serve these. */
function mismatched({ count, lastMs }: Readonly<Mismatches>): readonly string[] {
  if (count === 0) return []
  const refused = `refused because the database contradicts the vault: ${count}, last at ${new Date(lastMs).toISOString()}`
  return [`requests ${refused}; the log says how to mend it`]
}
