import type { Value as Seen } from '../../../../policy/language/values.ts'
import type { Note } from '../../explanation.ts'
import { code, ethereumAddress, none, noteOf } from '../../values.ts'
import { amountOfToken, weiAmount } from '../coins.ts'

const zeroAddress = `0x${'00'.repeat(20)}`

/**
 * What a Safe pays for the execution of its transaction, by the names of its arguments: the gas that the execution takes,
 * which nobody knows before, and `baseGas`, each at the price.
 */
export function refundNotes(given: ReadonlyMap<string, Seen>, chainId: bigint | undefined): readonly Note[] {
  const [price, gas] = [given.get('gasPrice'), given.get('baseGas') ?? given.get('dataGas')]
  if (typeof price !== 'bigint' || price === 0n) return []
  const least = typeof gas === 'bigint' ? gas * price : 0n
  const [receiver, paidIn] = [given.get('refundReceiver'), String(given.get('gasToken'))]
  const shown = typeof receiver === 'string' ? ethereumAddress(receiver) : none
  return [
    noteOf(
      'refundsFee',
      receiver === zeroAddress ? code('whoeverExecutes') : shown,
      paidIn === zeroAddress ? weiAmount(least, chainId) : amountOfToken(least, paidIn),
    ),
  ]
}
