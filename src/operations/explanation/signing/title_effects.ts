import type { Note, Row, Title, Value } from '../explanation.ts'
import { code, none, noteOf } from '../values.ts'
import { rankOf } from '../warnings.ts'
import { ownNote } from './own_accounts.ts'
import type { Content } from './signing_content.ts'

type Effects = (values: readonly Value[]) => readonly Note[]

const goesTo: Effects = ([amount = none, to = none]) => [noteOf('goesTo', amount, to)]
const letsSpend: Effects = ([amount = none, spender = none]) => [noteOf('letsSpend', amount, spender)]
const calledWith: Effects = ([, contract, amount]) => goesTo([amount ?? none, contract ?? none])
const calledWithAll: Effects = ([contract = none, ...amounts]) => amounts.flatMap((one) => goesTo([one, contract]))

/** The effects that a title says, with the values that it has. A call is added where nothing else is known of it. */
const effectsOfTitles: Readonly<Record<string, Effects>> = {
  send: goesTo,
  sendWithFee: goesTo,
  changeCodeAndSend: goesTo,
  approveSpender: letsSpend,
  raiseAllowance: letsSpend,
  changeCodeAndApproveSpender: letsSpend,
  approveOperator: ([operator = none, token = none]) => [noteOf('letsMoveAll', operator, token)],
  createContractWithAmount: ([amount = none]) => goesTo([amount, code('newContract')]),
  callWithAmount: calledWith,
  changeCodeAndCallWithAmount: calledWith,
  callContractWithAmount: calledWithAll,
  callContractWithAmounts: calledWithAll,
  changeControl: (values) => [noteOf('changesControl', ...values)],
  createAccount: ([account = none, amount = none, program = none]) => [
    noteOf('changesControl', account, program),
    ...goesTo([amount, account]),
  ],
  withdraw: ([amount = none, , to = none]) => goesTo([amount, to]),
  closeAccount: ([, to = none]) => goesTo([code('allLamports'), to]),
  delegateStake: (values) => [noteOf('delegatesStake', ...values)],
  signTronWithAmountFor: ([, amount = none, receiver = none]) => [noteOf('delegatesStake', amount, receiver)],
  makeTokens: (values) => [noteOf('makesTokens', ...values)],
  destroyTokens: (values) => [noteOf('destroysTokens', ...values)],
  freezeAccount: (values) => [noteOf('freezesAccount', ...values)],
  authorize: ([codeAt = none]) => [noteOf('changesControl', code('signingAccount'), codeAt)],
  offerFor: (values) => [noteOf('offers', ...values)],
}

/** The titles that say how much moves and not to whom, which stands in the rows. */
const titlesOfMany: ReadonlySet<string> = new Set([
  ...['sendToMany', 'sendManyTokens', 'sendManyTokensTo'],
  ...['callProgramWithAmount', 'callProgramsWithAmount', 'callProgramWithTransfers', 'callProgramsWithTransfers'],
])

/** The titles of calls of a function, with the contract behind it, and those of a contract alone. */
const titlesOfFunctions: ReadonlySet<string> = new Set([
  ...['call', 'callWithAmount', 'changeCodeAndCall', 'changeCodeAndCallWithAmount'],
])
const titlesOfContracts: ReadonlySet<string> = new Set([
  ...['callContract', 'callContractWithAmount', 'callContractWithAmounts', 'callProgram', 'callProgramWithAmount'],
  'callProgramWithTransfers',
])

/**
 * All that a content does, as warnings: what its title says and what the title warns of. For a place where the title of
 * something else stands. `signer`: the account that signs.
 */
export function effectsIn({ title, sections }: Content, signer?: Value): readonly Note[] {
  const { code: titleCode, values, warnings = [] } = title
  const said = effectsOfTitles[titleCode]?.(values) ?? []
  const moved = titlesOfMany.has(titleCode) ? sections.flatMap(({ rows }) => rows.flatMap(movedBy)) : []
  const all = [...[...said, ...moved].map((one) => ownNote(one, { signer })), ...warnings]
  return [...all, ...(warnings.some(isEffect) ? [] : calledBy(title))]
}

/** What calls do is worse than what is only not read of them. */
function isEffect(warning: Note): boolean {
  return rankOf(warning) < rankOf(noteOf('isTransaction'))
}

function calledBy({ code: titleCode, values: [first = none, second = none] }: Title): readonly Note[] {
  if (titlesOfFunctions.has(titleCode)) return [noteOf('callsInside', first, second)]
  return titlesOfContracts.has(titleCode) ? [noteOf('callsInside', code('unknownFunction'), first)] : []
}

/** Who gets how much by a row of a transfer. */
function movedBy(row: Row): readonly Note[] {
  if (!('label' in row) || row.label !== 'transfer' || row.value.kind !== 'tree') return []
  const parts = new Map(row.value.rows.flatMap((one) => ('label' in one ? [[one.label, one.value] as const] : [])))
  const [amount, to] = [parts.get('amount'), parts.get('to')]
  return amount?.kind === 'amount' && to !== undefined ? [noteOf('goesTo', amount, to)] : []
}
