/** A text without the character of one code unit at its end. A pattern would begin anew at each one inside the text. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
