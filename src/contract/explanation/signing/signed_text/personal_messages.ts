/** `body`: what the person who signs is asked to read. `size`: the bytes with the prefix. */
export type PersonalMessage = { readonly label: string; readonly body: Uint8Array; readonly size: number }

/**
 * The text behind the prefix of EIP-191 (`personal_sign`), TIP-191 or an off-chain message of Solana, if the payload is
 * such a message.
 */
export function personalMessage(bytes: Uint8Array): PersonalMessage | undefined {
  return solanaMessage(bytes) ?? prefixedMessage(bytes)
}

/** `OffchainMessage` of Solana's SDK: no transaction begins with this byte. */
const solanaDomain = '\u00ffsolana offchain'
const solanaHeaderBytes = solanaDomain.length + 4

/** Version 0: the version, the format and two bytes of length, the lowest first. Other versions are not read. */
function solanaMessage(bytes: Uint8Array): PersonalMessage | undefined {
  const start = Buffer.from(bytes.subarray(0, solanaDomain.length)).toString('latin1')
  const [version, , low = 0, high = 0] = bytes.subarray(solanaDomain.length)
  const body = bytes.subarray(solanaHeaderBytes)
  if (start !== solanaDomain || version !== 0 || body.length !== low + 256 * high) return undefined
  return { label: 'solanaMessage', body, size: bytes.length }
}

function prefixedMessage(bytes: Uint8Array): PersonalMessage | undefined {
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  const [prefix, label] = personalPrefixes.find(([one]) => start.startsWith(one)) ?? []
  if (prefix === undefined || label === undefined) return undefined
  const [digits = ''] = /^[1-9][0-9]{0,7}/.exec(start.slice(prefix.length)) ?? []
  // The length may be followed by digits of the text: take the one that fits.
  for (let count = digits.length; count > 0; count -= 1) {
    const prefixBytes = prefix.length + count
    if (Number(digits.slice(0, count)) === bytes.length - prefixBytes)
      return { label, body: bytes.subarray(prefixBytes), size: bytes.length }
  }
  return undefined
}

const personalPrefixes = [
  ['\x19Ethereum Signed Message:\n', 'ethereumMessage'],
  ['\x19TRON Signed Message:\n', 'tronMessage'],
] as const
