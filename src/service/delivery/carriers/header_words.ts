/**
 * The bytes of one encoded word (RFC 2047), so that a line has no more than 78 characters, also the first with
 * `Subject:`.
 */
const bytesPerWord = 42

/**
 * Returns a text of ASCII that holds the beginning of an encoded word (`=?`) as encoded words. As it is, programs for
 * mail decode what stands in it: characters that no name may have, such as those that turn the direction. Undefined for
 * any other text, which nodemailer encodes where it has to.
 */
export function encodedWords(text: string): string | undefined {
  if (!text.includes('=?') || !/^[\x20-\x7e]*$/.test(text)) return undefined
  const words: string[] = []
  for (let start = 0; start < text.length; start += bytesPerWord) {
    words.push(`=?UTF-8?B?${Buffer.from(text.slice(start, start + bytesPerWord)).toString('base64')}?=`)
  }
  return words.join('\r\n ')
}
