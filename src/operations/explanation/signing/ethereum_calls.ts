import { type InnerCall, keptReading, type Reading } from '../../../policy/contracts/reading.ts'
import type { Struct } from '../../../policy/language/values.ts'
import type { Note, Row, Value } from '../explanation.ts'
import { code, ethereumAddress, hex, list, listed, note, noteOf, row, text, tree } from '../values.ts'
import { argumentsValue, readingNotes, unreadNote } from './call_reading.ts'
import type { TransactionContent } from './signing_content.ts'
import { type TokenCall, tokenFunctionIn } from './token_calls.ts'
import { isNamedOtherwise } from './token_functions.ts'

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
  const known = tokenFunctionIn(data)
  const claims = claimed && {
    function: text(claimed.functionName),
    arguments: argumentsValue(claimed.reading),
    calls: innerCalls(claimed.reading),
    decodedBy: list(interfaces),
  }
  const call = tree({
    contract: ethereumAddress(to),
    ...(known === undefined ? {} : { function: code(known.name) }),
    selector: hex(data.slice(0, 8)),
    ...(known === undefined
      ? claims
      : { arguments: token === undefined ? note('argumentsUnreadable') : undefined, claimed: claims && tree(claims) }),
    unknown: claimed === undefined && known === undefined ? note('unknownCall', `0x${data.slice(0, 8)}`) : undefined,
  })
  return [...(token === undefined ? [] : [row('asToken', token.shown)]), row('call', call), size]
}

/** The name of the called function: a known one is never renamed by an interface. */
export function functionValue({ tx, data }: Pick<Called, 'tx' | 'data'>): Value {
  const known = tokenFunctionIn(data)
  if (known !== undefined) return code(known.name)
  return typeof tx.function_name === 'string' ? text(tx.function_name) : hex(data.slice(0, 8))
}

/** What a reader must know of a call before anything else: above all, how much of it is not read. */
export function callWarnings({ tx, to, data, token }: Omit<Called, 'interfaces'>): readonly Note[] {
  if (data === '') return []
  const bytes = data.length / 2
  const argumentsBytes = Math.max(0, bytes - selectorBytes)
  const claimed = to === '' ? undefined : claimIn(tx)
  const known = to === '' ? undefined : tokenFunctionIn(data)
  if (known === undefined)
    return claimed === undefined ? [unreadNote(bytes)] : readingNotes(claimed.reading, argumentsBytes)
  return [
    ...(token === undefined ? [unreadNote(argumentsBytes)] : token.warnings),
    ...(claimed !== undefined && isNamedOtherwise(known, claimed) ? [noteOf('otherNames', code(known.name))] : []),
  ]
}

const selectorBytes = 4

/** What the uploaded interfaces say of the call. */
function claimIn(tx: Struct) {
  const { function_name: functionName } = tx
  const reading = keptReading(tx)
  if (typeof functionName !== 'string' || reading === undefined) return undefined
  return { functionName, reading, parameterNames: reading.kind === 'read' ? [...reading.args.keys()] : [] }
}

function innerCalls(reading: Reading): Value | undefined {
  if (reading.kind !== 'read' || reading.innerCalls === undefined) return undefined
  return list(listed(reading.innerCalls, innerCallValue))
}

function innerCallValue({ data, known }: InnerCall): Value {
  const selector = data.slice(0, 10)
  return tree({
    function: known && text(known.functionName),
    selector: hex(selector),
    arguments: known && argumentsValue(known.reading),
    unknown: known === undefined ? note('unknownCall', selector) : undefined,
    data: known?.reading.kind === 'read' ? undefined : hex(data),
  })
}
