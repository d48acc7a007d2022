import type { Value as Seen } from '../../../../policy/language/expression_values.ts'
import { zeroAddress } from '../../../../protocol/chains/ethereum_values.ts'
import type { Note } from '../../explanation.ts'
import { code, none, noteOf } from '../../shown_values.ts'
import type { ChainForms } from '../shared/chain_forms.ts'

/**
 * The refund that a Safe pays for the execution of its transaction, by the names of its arguments: the gas that the
 * execution takes, which nobody knows before, and `baseGas`, each at the price.
 */
export function refundNotes(given: ReadonlyMap<string, Seen>, { addressOf, coin, token }: ChainForms): readonly Note[] {
  const [price, gas] = [given.get('gasPrice'), given.get('baseGas') ?? given.get('dataGas')]
  if (typeof price !== 'bigint' || price === 0n) return []
  const least = typeof gas === 'bigint' ? gas * price : 0n
  const [receiver, paidIn] = [given.get('refundReceiver'), String(given.get('gasToken'))]
  const shown = typeof receiver === 'string' ? addressOf(receiver) : none
  const amountOf = (amount: bigint) => (paidIn === zeroAddress ? coin(amount) : token(amount, paidIn))
  const to = receiver === zeroAddress ? code('whoeverExecutes') : shown
  return [noteOf('refundsFee', to, amountOf(price), amountOf(least))]
}

const signatureBytes = 65
/** The last byte of a signature that is one of a key, of a message by a key, or of an owner who approved the hash. */
const kindsOfKeys: ReadonlySet<string> = new Set(['1b', '1c', '1f', '20', '01'])

/**
 * The bytes of a Safe's signatures that no contract reads: those before the first one of a contract, which says where in
 * the rest its data stands.
 */
export function keySignatureBytes(given: ReadonlyMap<string, Seen>): number {
  const digits = String(given.get('signatures') ?? '').replace(/^0x/, '')
  const blocks = digits.match(new RegExp(`.{${2 * signatureBytes}}`, 'g')) ?? []
  const other = blocks.findIndex((block) => !kindsOfKeys.has(block.slice(-2)))
  return signatureBytes * (other === -1 ? blocks.length : other)
}
