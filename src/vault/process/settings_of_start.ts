import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { VaultSettings } from '../../link/vault_settings.ts'
import { canonicalJson } from '../../protocol/tools/canonical_json.ts'
import { enterAct, factOfAct } from '../activity/operator_acts.ts'
import type { Books } from '../books/books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'

/** How a vault was started: all of it is public, and decisions depend on it. */
export type Start = {
  readonly version: string
  readonly unsealer: VaultSettings['unsealer']['kind']
  /** By their names, without the paths of files. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** Every setting counts but those that only say where something is. For `caFile` the certificates count. */
export function startOf(
  { journalDirectory: _, operatorSocket: __, logHost: ___, unsealer, limits, caFile, ...others }: VaultSettings,
  version: string,
): Start {
  const named = Object.entries(limits).map(([name, max]) => [`limits.${name}`, max] as const)
  const authorities = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  return {
    version,
    unsealer: unsealer.kind,
    settings: { ...others, ...Object.fromEntries(named), caFile: authorities },
  }
}

type Circumstances = {
  readonly vaultState: Uint8Array
  readonly nowMs: () => number
  readonly randomBytes: (size: number) => Uint8Array
}

type StartedBooks = Pick<Books, 'enter' | 'sync' | 'unavailable' | 'keepSettings' | 'settings'>

/**
 * Enters how the vault was started in the transparency log, if that differs from its last start. The vault must decide
 * nothing before this resolves. Throws `UnsealError` if it cannot be entered.
 */
export async function enterStart(
  books: StartedBooks,
  { version, unsealer, settings }: Start,
  { vaultState, nowMs, randomBytes }: Circumstances,
): Promise<void> {
  const values = { ...settings, version, unsealer, vaultState: Buffer.from(vaultState).toString('base64') }
  const now = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, digestOf(canonicalJson(value ?? null))]),
  )
  const list = canonicalJson(now)
  const before: Readonly<Record<string, string>> = JSON.parse(books.settings() ?? '{}')
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()
  const changed = names.filter((name) => before[name] !== now[name])
  if (changed.length === 0) return
  const act = { act: 'change_settings', changed, digest: digestOf(list), unsealer, version } as const
  try {
    const fact = factOfAct(act, { atMs: nowMs(), randomBytes })
    await enterAct({ ...books, enter: (facts) => books.keepSettings(list, facts) }, fact)
  } catch (cause) {
    if (!(cause instanceof JournalUnavailable)) throw cause
    const what = 'the settings of this start cannot be entered in the transparency log'
    throw new UnsealError(`${what}: the journal of the vault cannot be written (${cause.message})`, { cause })
  }
}

function digestOf(text: string): string {
  return hash('sha256', text)
}
