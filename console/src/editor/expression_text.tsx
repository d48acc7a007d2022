import './editor.css'
import type { ExpressionKind } from '../../../src/policy/language/names/keywords.ts'
import { UserText } from '../components/user_text.tsx'
import { codeParts, expressionCharactersMax } from './expressions.ts'

/** An expression to read, in the colours of the editor. Hidden characters in its strings are marked. */
export function ExpressionText({ text, kind }: { readonly text: string; readonly kind: ExpressionKind }) {
  return (
    <code className="expression">
      {piecesOf(text, kind).map(({ start, end, shownAs }) => (
        <span key={start} className={shownAs === undefined ? undefined : `code-${shownAs}`}>
          <UserText text={text.slice(start, end)} charactersMax={expressionCharactersMax} hasLines />
        </span>
      ))}
    </code>
  )
}

/** The whole text, in pieces of one colour. */
function piecesOf(text: string, kind: ExpressionKind) {
  let last = 0
  const pieces = codeParts(text, kind).flatMap(({ start, end, kind: shownAs }) => {
    const between = { start: last, end: start, shownAs: undefined }
    last = end
    return [between, { start, end, shownAs }]
  })
  return [...pieces, { start: last, end: text.length, shownAs: undefined }].filter(({ start, end }) => start < end)
}
