import type { Content } from '../content.ts'
import type { Note, Value } from '../explanation.ts'
import { code, none, noteOf } from '../shown_values.ts'
import { isTitleCode, type TitleCode } from '../texts/title_texts.ts'
import { rankOf, standsBesideWorse } from '../warnings.ts'
import { ownNote } from './shared/own_accounts.ts'

type Effects = (values: readonly Value[]) => readonly Note[]

const goesTo: Effects = ([amount = none, to = none]) => [noteOf('goesTo', amount, to)]
const letsSpend: Effects = ([amount = none, spender = none]) => [noteOf('letsSpend', amount, spender)]
const offers: Effects = ([offered = none, asked = none]) => [noteOf('offers', offered, asked)]
const nothing: Effects = () => []
/** A call of a function, and the amounts for its contract. */
const calls: Effects = ([called = none, contract = none, ...amounts]) => [
  ...amounts.flatMap((one) => goesTo([one, contract])),
  noteOf('callsInside', called, contract),
]
const callsContract: Effects = (values) => calls([code('unknownFunction'), ...values])
const callsProgram: Effects = ([program = none]) => callsContract([program])
/** The only move of programs. Nobody gains by one of a known amount, and no warning beside the title says who gets others. */
const moves: Effects = ([, amount = none, , to = none]) => (amount.kind === 'amount' ? [] : goesTo([amount, to]))

/**
 * The effects that a title says, with the values that it has. `nothing`: it says none that its warnings do not say too, as
 * of who gets what several moves of programs bring.
 */
const effectsOfTitles: Readonly<Record<TitleCode, Effects>> = {
  send: goesTo,
  sendWithFee: goesTo,
  sendToMany: nothing,
  sendToSelf: nothing,
  sendToOwn: nothing,
  sendManyTokens: nothing,
  sendManyTokensTo: nothing,
  approveSpender: letsSpend,
  raiseAllowance: letsSpend,
  approveOperator: ([operator = none, token = none]) => [noteOf('letsMoveAll', operator, token)],
  revokeOperator: nothing,
  createContract: nothing,
  createContractWithAmount: ([amount = none]) => goesTo([amount, code('newContract')]),
  changeCode: nothing,
  changeCodeAndApproveSpender: letsSpend,
  changeCodeAndSend: goesTo,
  changeCodeAndCall: calls,
  changeCodeAndCallWithAmount: calls,
  call: calls,
  callWithAmount: calls,
  callWithAmounts: calls,
  callContract: callsContract,
  callContractWithAmount: callsContract,
  callContractWithAmounts: callsContract,
  callProgram: callsProgram,
  callProgramWithAmount: callsProgram,
  callProgramWithPayment: ([program = none, ...payment]) => [...goesTo(payment), ...callsProgram([program])],
  callProgramWithTransfers: callsProgram,
  callProgramWithMove: (values) => [...moves(values), ...callsProgram(values)],
  callPrograms: nothing,
  callProgramsWithAmount: nothing,
  callProgramsWithPayment: ([, ...payment]) => goesTo(payment),
  callProgramsWithTransfers: nothing,
  callProgramsWithMove: moves,
  changeControl: (values) => [noteOf('changesControl', ...values)],
  upgradeProgram: (values) => [noteOf('upgradesProgram', ...values)],
  endProgram: ([program = none, , to = none]) => [noteOf('endsProgram', program), ...goesTo([code('allLamports'), to])],
  deployProgram: ([program = none, buffer = none, authority = none]) => [
    noteOf('upgradesProgram', program, buffer),
    noteOf('changesControl', program, authority),
  ],
  createLookupTable: ([table = none, authority = none]) => [noteOf('changesControl', table, authority)],
  assignAccount: (values) => [noteOf('programOwns', ...values)],
  createAccount: ([account = none, amount = none]) => goesTo([amount, account]),
  withdraw: ([amount = none, , to = none]) => goesTo([amount, to]),
  delegateStake: (values) => [noteOf('delegatesStake', ...values)],
  makeTokens: (values) => [noteOf('makesTokens', ...values)],
  destroyTokens: (values) => [noteOf('destroysTokens', ...values)],
  freezeAccount: (values) => [noteOf('freezesAccount', ...values)],
  thawAccount: (values) => [noteOf('thawsAccount', ...values)],
  freezeLookupTable: (values) => [noteOf('freezesTable', ...values)],
  closeAccount: ([, to = none]) => goesTo([code('allLamports'), to]),
  changeRootQuorum: nothing,
  replaceKeys: ([account = none]) => [noteOf('changesWhoControls', account, code('AccountPermissionUpdateContract'))],
  signTron: nothing,
  signTronWithAmount: ([type = none, amount = none]) => [noteOf('doesOnTron', type, amount)],
  signTronWithAmountFor: ([type = none, amount = none, receiver = none]) => [
    isDelegation(type) ? noteOf('delegatesStake', amount, receiver) : noteOf('doesOnTron', type, amount),
  ],
  authorize: ([codeAt = none]) => [noteOf('changesControl', code('signingAccount'), codeAt)],
  authorizeNone: nothing,
  offerFor: offers,
  offerForAs: offers,
  signTypedData: nothing,
  signTypedDataAs: nothing,
  signPayload: nothing,
  signPayloads: nothing,
}

/** Other contracts with a receiver take back what was delegated. */
function isDelegation(type: Value): boolean {
  return type.kind === 'code' && type.code === 'DelegateResourceContract'
}

/**
 * All that a content does, as warnings: what its title says and what the title warns of. For a place where the title of
 * something else stands. `signer`: the account that signs.
 */
export function effectsIn(
  { title, called, giver }: Pick<Content, 'title' | 'called' | 'giver'>,
  signer?: Value,
): readonly Note[] {
  const { code: titleCode, values, warnings = [] } = title
  const said = isTitleCode(titleCode) ? effectsOfTitles[titleCode](values) : []
  const all = [
    ...said.filter(isEffect).map((one) => ownNote(one, { signer, giver: giver ?? signer })),
    ...warnings,
    ...(called === undefined ? [] : [called]),
  ]
  // A call is added where nothing else is known of it.
  const isKnown = called !== undefined || warnings.some((one) => isEffect(one) || one.code === 'unreadProgram')
  return isKnown ? all : [...all, ...said.filter((one) => !isEffect(one))]
}

/** An effect of a call is worse than a part that is only not read. The cost of calls is no effect of theirs. */
function isEffect(warning: Note): boolean {
  return rankOf(warning) < rankOf(noteOf('isTransaction')) && !standsBesideWorse(warning)
}
