export const typedDataNameCharactersMax = 128

/** A name that a struct or a member may have: printable ASCII except `( ) , [ ]`. */
export function isTypedDataName(text: string): boolean {
  return /^[!-'*+\--Z\\^-~]+$/.test(text) && text.length <= typedDataNameCharactersMax
}

/** Also true for names that only resemble a type, such as `uint7`, or the alias `uint`, which EIP-712 lacks. */
export function looksElementary(text: string): boolean {
  return /^(address|bool|string|bytes\d*|u?int\d*)$/.test(text)
}

/** A name that a struct may have. */
export function isStructName(text: string): boolean {
  return isTypedDataName(text) && !looksElementary(text)
}
