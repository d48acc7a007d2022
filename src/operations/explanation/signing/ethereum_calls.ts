import { type InnerCall, keptReading, type Reading } from '../../../policy/contracts/reading.ts'
import type { Struct } from '../../../policy/language/values.ts'
import type { Note, Row, Value } from '../explanation.ts'
import { code, ethereumAddress, hex, list, listed, note, noteOf, row, text, tree } from '../values.ts'
import { argumentsValue, hasUnlimited, readingNotes, unreadNote } from './call_reading.ts'
import { knownCallOf } from './known_calls.ts'
import { borrowsName, isNamedOtherwise, type KnownFunction, knownFunctionIn } from './known_functions.ts'
import type { TransactionContent } from './signing_content.ts'
import { type TokenCall, tokenCallOf } from './token_calls.ts'

type Called = Pick<TransactionContent, 'tx' | 'interfaces'> & {
  /** Empty: the transaction creates a contract. */
  readonly to: string
  /** In hex, without `0x`. */
  readonly data: string
  readonly token: TokenCall | undefined
}

/** What is known of a call without an interface comes first. What an uploaded interface says of it stands below. */
export function callRows({ tx, to, data, token, interfaces }: Called): readonly Row[] {
  if (data === '') return []
  const size = row('data', hex(data))
  if (to === '') return [row('call', tree({ contract: code('newContract') })), size]
  const claimed = claimIn(tx)
  const known = knownCallOf({ contract: to, data, addressOf: ethereumAddress })
  const claims = claimed && {
    function: text(claimed.functionName),
    arguments: argumentsValue(claimed.reading),
    calls: innerCalls(claimed.reading, to),
    decodedBy: list(interfaces),
  }
  const call = tree({
    contract: ethereumAddress(to),
    ...(known === undefined ? {} : { function: code(known.known.name) }),
    selector: hex(data.slice(0, 8)),
    ...(known === undefined
      ? claims
      : {
          arguments: token === undefined ? argumentsValue(known.reading) : undefined,
          claimed: claims && tree(claims),
        }),
    unknown: claimed === undefined && known === undefined ? note('unknownCall', `0x${data.slice(0, 8)}`) : undefined,
  })
  return [...(token === undefined ? [] : [row('asToken', token.shown)]), row('call', call), size]
}

/** The name of the called function: a known one is never renamed by an interface. */
export function functionValue({ tx, data }: Pick<Called, 'tx' | 'data'>): Value {
  const known = knownFunctionIn(data)
  if (known !== undefined) return code(known.name)
  return typeof tx.function_name === 'string' ? text(tx.function_name) : hex(data.slice(0, 8))
}

/** What a reader must know of a call before anything else: above all, how much of it is not read. */
export function callWarnings({ tx, to, data, token }: Omit<Called, 'interfaces'>): readonly Note[] {
  if (data === '') return []
  const bytes = data.length / 2
  const argumentsBytes = Math.max(0, bytes - selectorBytes)
  const claimed = to === '' ? undefined : claimIn(tx)
  const known = to === '' ? undefined : knownCallOf({ contract: to, data, addressOf: ethereumAddress })
  if (known === undefined)
    return claimed === undefined ? [unreadNote(bytes)] : claimNotes(claimed, { to, argumentsBytes })
  return [
    ...(token === undefined ? [...known.effects, ...readingNotes(known.reading, argumentsBytes)] : token.warnings),
    ...(token === undefined && isUnlimited(known.reading) ? [note('unlimited')] : []),
    ...renamingNotes(known.known, claimed),
  ]
}

function isUnlimited(reading: Reading): boolean {
  return reading.kind === 'read' && hasUnlimited(reading.args)
}

function claimNotes(claimed: Claim, { to, argumentsBytes }: { readonly to: string; readonly argumentsBytes: number }) {
  const { functionName, reading } = claimed
  const inner = reading.kind === 'read' ? (reading.innerCalls ?? []) : []
  return [
    ...readingNotes(reading, argumentsBytes),
    ...(isUnlimited(reading) ? [note('unlimited')] : []),
    ...(borrowsName(functionName) ? [noteOf('borrowedName', text(functionName))] : []),
    ...inner.flatMap((call) => innerNotes(call, to)),
  ]
}

/** The calls in a call are read by the same rules. Their bytes are in the counts of the whole. */
function innerNotes({ data, known: claimed }: InnerCall, to: string): readonly Note[] {
  const known = knownCallOf({ contract: to, data: data.slice(2), addressOf: ethereumAddress })
  const token = innerToken(data, to)
  return [
    ...(token?.effect === undefined ? [] : [token.effect]),
    ...(token?.warnings.filter(({ code }) => code === 'unlimited' || code === 'nearlyUnlimited') ?? []),
    ...(known === undefined ? [] : [...known.effects, ...renamingNotes(known.known, claimed)]),
  ]
}

function renamingNotes(known: KnownFunction, claimed: Claim | undefined): readonly Note[] {
  if (claimed === undefined) return []
  const { functionName, reading } = claimed
  const parameters = reading.kind === 'read' ? reading.parameters : undefined
  return isNamedOtherwise(known, { functionName, parameters }) ? [noteOf('otherNames', code(known.name))] : []
}

const selectorBytes = 4

/** What the uploaded interfaces say of a call. */
type Claim = { readonly functionName: string; readonly reading: Reading }

function claimIn(tx: Struct): Claim | undefined {
  const { function_name: functionName } = tx
  const reading = keptReading(tx)
  return typeof functionName !== 'string' || reading === undefined ? undefined : { functionName, reading }
}

function innerCalls(reading: Reading, to: string): Value | undefined {
  if (reading.kind !== 'read' || reading.innerCalls === undefined) return undefined
  return list(listed(reading.innerCalls, (call) => innerCallValue(call, to)))
}

/** A token may have a function of several calls: they are calls of the token itself. */
function innerToken(data: string, to: string): TokenCall | undefined {
  return tokenCallOf({ contract: to, data: data.slice(2), addressOf: ethereumAddress })
}

function innerCallValue({ data, known }: InnerCall, to: string): Value {
  const selector = data.slice(0, 10)
  return tree({
    asToken: innerToken(data, to)?.shown,
    function: known && text(known.functionName),
    selector: hex(selector),
    arguments: known && argumentsValue(known.reading),
    unknown: known === undefined ? note('unknownCall', selector) : undefined,
    data: known?.reading.kind === 'read' ? undefined : hex(data),
  })
}
