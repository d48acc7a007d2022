import { canonicalAddress } from '../../../protocol/chains/canonical_address.ts'
import { message } from '../message.ts'
import { checksummed } from './forms.ts'

/**
 * An address of any chain. A piece that may be of hex as well as of base58 is refused, unless hex has it in lower case.
 * So is one of Bech32 in capitals, which an address of TON may have as it stands, and one that begins as an address on a
 * test network does: the caller names the same key by it or by another.
 */
export const anyAddress = checksummed({
  name: message`an address`,
  canonical: canonicalAddress,
  fault: (text) =>
    otherBeginnings.test(text)
      ? message`; it has the address on the main network, which begins with bc1, 1, 3, D or spark1, and that of TON which begins with UQ; for a Solana key that begins so, compare the whole address`
      : undefined,
  canonicalPiece: (piece, from) => {
    if (!/^[\w-]*$/.test(piece) || (from === 0 && otherBeginnings.test(piece))) return undefined
    if (isHexPiece(piece) || (from === 0 && lowerCaseStarts.test(piece))) return piece.toLowerCase()
    const isOfLowerCase = /^[0-9a-f]{6,}$/i.test(piece) || (isBech32Piece(piece) && piece === piece.toUpperCase())
    return isOfLowerCase && piece !== piece.toLowerCase() ? undefined : piece
  },
})

/** A zero stands in no text in base58, and 40 digits are an address of Ethereum. */
function isHexPiece(piece: string): boolean {
  return /^[0-9a-f]{40}$/i.test(piece) || (/^[0-9a-f]+$/i.test(piece) && piece.includes('0'))
}

/** With a zero it is not of base58, nor of an address of Stellar. */
function isBech32Piece(piece: string): boolean {
  return /^[02-9ac-hj-np-z]{6,}$/i.test(piece) && piece.includes('0')
}

const lowerCaseStarts = /^(0x|bc1|cosmos1|sei1|spark1)/i

/**
 * The beginnings of addresses, and of their pieces, which stand for another one in the field: of test networks of Bitcoin,
 * Dogecoin and Spark, and of TON all but the one on the main network that does not bounce. Capitals may be of Tron. The
 * version of an address in base58 leaves it few second characters. With others the piece is of a Solana key.
 */
const otherBeginnings =
  /^(t(b(1.*)?)?|bcr(t(1.*)?)?|sparkr(t(1.*)?)?|TB1.*0.*|BCRT1.*|SPARKRT1.*|[Ek0]Q([A-D].*)?|m([f-z].*)?|n([1-4U-Za-s].*)?|2(M([s-z].*)?|N([1-9A-G].*)?))$/s
