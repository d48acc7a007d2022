import type { Signer } from '../../../keys.ts'
import type { Note } from '../../explanation.ts'
import { note } from '../../shown_values.ts'

/**
 * Signed content of Bitcoin names no network, and a key has the same scripts on all of them. So the address that a
 * request names says nothing of where the signature holds: one of a test network must not look like a promise.
 */
export function networkNotes({ addressFormat }: Pick<Signer, 'addressFormat'>): readonly Note[] {
  const isForTests = /^ADDRESS_FORMAT_BITCOIN_(?!MAINNET_)/.test(addressFormat ?? '')
  return isForTests ? [note('alsoOnMainNetwork')] : []
}
