import { wholeTextCharactersMax } from '../../shown_values.ts'

/**
 * The beginning of a memo of THORChain, of Maya, or of a chain like these: the name of an order or its short form, and
 * a colon (THORChain, "Transaction Memos").
 */
const beginning =
  /^\s*(?:[^\p{L}\p{N}\s]{1,4}|m?=[<>]|(?:s|swap|a|add|wd|withdraw|l|limit|d|donate|n|name|x|exec|out|outbound|refund|migrate|consolidate|switch|noop|reserve|bond|unbond|rebond|leave|operator)|(?:loan|trade|secure|tcy|pool|cacaopool)[+-]?)\s*:/iu

/** Words of orders, wherever they stand, and the beginning of JSON. */
const words = /\b(?:swap|bridge|redeem)\b|^\s*[{[]/i

/** Addresses in hex, and in base32 (Stellar, Algorand). */
const hex = /[0-9a-f]{40,}/i
const base32 = /[A-Z2-7]{50,}/
/** In base58, and in base64 (TON). */
const mixed = /[1-9A-HJ-NP-Za-km-z]{25,}|[\w-]{44,}/g
/** The characters behind the prefix of an address in bech32. */
const bech32 = /1([02-9ac-hj-np-z]{20,})/gi

/**
 * Whether another program may read a text as an order what becomes of a payment: it begins as orders do, has a word of
 * them, or has what may be an address on any chain. Numbers and references of banks are no addresses. A text that is longer
 * than any that is shown is not read, and may be one.
 */
export function mayBeOrder(text: string): boolean {
  if (text.length > wholeTextCharactersMax) return true
  if ([beginning, words, hex, base32].some((one) => one.test(text))) return true
  const ofBech32 = [...text.matchAll(bech32)].map(([, data = '']) => data)
  // An address has capitals and small letters in base58 and base64, and more than digits in bech32.
  return (
    (text.match(mixed) ?? []).some((one) => /[A-Z]/.test(one) && /[a-z]/.test(one)) ||
    ofBech32.some((one) => /[a-z]/i.test(one))
  )
}
