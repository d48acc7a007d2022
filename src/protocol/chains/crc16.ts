/** CRC-16/XMODEM (polynomial 0x1021, nothing inverted), the checksum of Stellar's and TON's addresses. */
export function crc16(bytes: Uint8Array): number {
  return bytes.reduce((checksum, byte) => {
    let rest = checksum ^ (byte << 8)
    for (let bit = 0; bit < 8; bit++) rest = (rest & 0x8000) === 0 ? rest << 1 : (rest << 1) ^ 0x1021
    return rest & 0xffff
  }, 0)
}
