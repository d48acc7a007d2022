/** Escapes text for the content of an element and for a quoted attribute (WHATWG HTML, 13.3). */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
