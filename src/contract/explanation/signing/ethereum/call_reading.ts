import type { Now } from '../../explain_context.ts'
import type { Note, Row, Value } from '../../explanation.ts'
import { hex, note, row, tree } from '../../shown_values.ts'
import { countNotes, type UnreadCounts, unreadNote } from '../shared/call_arguments.ts'
import type { ChainForms } from '../shared/chain_forms.ts'
import type { Funds } from '../shared/fee_warnings.ts'
import { selectorBytes } from './called.ts'
import type { TokenCall } from './token_calls.ts'

/** A call, as far as it is read, with the calls in it. */
export type CallReading = {
  readonly token: TokenCall | undefined
  /** The name of the function: a known one is never renamed by an interface. Undefined: it has none. */
  readonly functionName: Value | undefined
  /** Its parts by their labels. */
  readonly parts: Readonly<Record<string, Value | undefined>>
  /** Its effects beside that of a token's call, and other warnings, but not how much of it is unread. */
  readonly warnings: readonly Note[]
  /** Names it where it stands in another call and nothing here knows what it does. */
  readonly called: Note | undefined
  /** Says that only an interface names its effect. */
  readonly byInterface: Note | undefined
  /** The wei that calls in it send from the account that pays. */
  readonly funds: Funds
  /** Undefined if the arguments are not read. Calls inside that are read count as what they leave unread themselves. */
  readonly counts: UnreadCounts | undefined
}

export type CallContext = {
  readonly forms: ChainForms
  readonly now: Pick<Now, 'interfacesAt' | 'named'>
  /** Shown as its owner calls it. Undefined: not known. */
  readonly signer?: Value | undefined
  /** The account that makes the call: 20 bytes as `0x` and hex. */
  readonly caller?: string | undefined
  /** Whether the called code acts as the caller. */
  readonly isDelegate?: boolean
  /** The account that pays for the execution, in the same form. Undefined: what it sends is not asked for. */
  readonly payer?: string | undefined
}

/** The rows of the call of a transaction. */
export function callRows({ token, parts }: CallReading, data: string): readonly Row[] {
  const asToken = token === undefined ? [] : [row('asToken', token.shown)]
  return [...asToken, row('call', tree(parts)), row('data', hex(data))]
}

/** The name of the called function, or its selector. */
export function functionIn(call: CallReading | undefined, data: string): Value {
  return call?.functionName ?? selectorOf(data)
}

export function selectorOf(data: string): Value {
  return hex(data.slice(0, 2 * selectorBytes))
}

/** Warnings beside the effect of a token's call: above all, how much of the call is not read. */
export function callWarnings(call: CallReading, data: string): readonly Note[] {
  const { token, functionName, counts, warnings, byInterface } = call
  // A function that is known may have been sent no arguments, so that there is nothing to count.
  const unread = functionName === undefined ? data.length / 2 : data.length / 2 - selectorBytes
  return [
    ...(counts === undefined ? [unread === 0 ? note('unreadable') : unreadNote(unread)] : countNotes(counts)),
    ...(token?.unlimited === undefined ? [] : [token.unlimited]),
    ...warnings,
    ...(byInterface === undefined ? [] : [byInterface]),
  ]
}

/** The effects of a call, for a title that does not say them. */
export function doneBy({ token, warnings, called }: CallReading): readonly Note[] {
  return [token?.effect ?? [], token?.unlimited ?? [], warnings, called ?? []].flat()
}
