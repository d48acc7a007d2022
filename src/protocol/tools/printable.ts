/** Every character that a terminal obeys or hides: control, format, private and unassigned ones. A line feed is none. */
const unprintable = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Returns the text with such characters as escapes of JSON, because somebody may have put them into a name. JSON stays
 * the same JSON.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}
