import { marksOf, type QuotedPart, quotedParts } from '../../../src/contract/explanation/texts/quoted.ts'
import { codePointOf, visibleParts } from '../../../src/protocol/tools/visible_text.ts'
import { useSpoken } from '../texts/texts.tsx'

const charactersDefault = 160

/**
 * A text that a user set: a name, a note, a memo. Invisible characters, look-alike letters and gaps are shown, the direction
 * of the text stays inside it, and a long text is cut with its length said. A name stays on one line.
 */
export function UserText({
  text,
  charactersMax = charactersDefault,
  characters,
  hasLines = false,
  isQuoted = false,
}: UserTextProps) {
  const { language, texts } = useSpoken()
  const given = [...text]
  const shown = given.length > charactersMax ? given.slice(0, charactersMax).join('') : text
  const whole = characters ?? given.length
  const parts = isQuoted ? quotedParts(shown) : visibleParts(shown)
  return (
    <span>
      {isQuoted && '“'}
      <bdi className="user-text">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are a text, which changes as a whole
          <Part key={index} part={part} hasLines={hasLines} />
        ))}
      </bdi>
      {isQuoted && '”'}
      {whole > charactersMax && (
        <span className="user-text-cut">
          … {texts.common.hidden.cut(new Intl.NumberFormat(language).format(whole))}
        </span>
      )}
    </span>
  )
}

type UserTextProps = {
  readonly text: string
  readonly charactersMax?: number
  /** The length of the whole, if the text is its beginning. */
  readonly characters?: number
  /** Its lines are shown as such: it is a message or an expression, and stands among no words of ours. */
  readonly hasLines?: boolean
  /** It stands among words of ours, so it has quotes that nothing in it can end. */
  readonly isQuoted?: boolean
}

function Part({ part, hasLines }: { readonly part: QuotedPart; readonly hasLines: boolean }) {
  const { language, texts } = useSpoken()
  const { hidden } = texts.common
  switch (part.kind) {
    case 'plain':
      return hasLines ? part.text : <OneLine text={part.text} />
    case 'gap': {
      const shown = new Intl.NumberFormat(language)
      const counts = [
        ...(part.lineBreaks === 0 ? [] : [hidden.lineBreaks(shown.format(part.lineBreaks))]),
        ...(part.blanks === 0 ? [] : [hidden.blanks(shown.format(part.blanks))]),
      ]
      return <HiddenMark title={hidden.gap} shown={`⟨${counts.join(', ')}⟩`} />
    }
    case 'quote': {
      const marks = marksOf(part.text)
      return marks === part.text ? (
        <LikeMark title={hidden.quote} shown={marks} />
      ) : (
        <HiddenMark title={hidden.quote} shown={marks} />
      )
    }
    case 'hidden': {
      const code = codePointOf(part.text)
      return <HiddenMark title={hidden.character(code)} shown={code} />
    }
    case 'lookalike':
      return <LikeMark title={hidden.lookalike(codePointOf(part.text))} shown={part.text} />
  }
}

/** A text of several lines on one. */
function OneLine({ text }: { readonly text: string }) {
  const { hidden } = useSpoken().texts.common
  return text.split('\n').map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines are a text, which changes as a whole
    <span key={index}>
      {index > 0 && <HiddenMark title={hidden.lineBreak} shown="↵" />}
      {line}
    </span>
  ))
}

type MarkProps = { readonly title: string; readonly shown: string }

function HiddenMark({ title, shown }: MarkProps) {
  return (
    <mark className="hidden-character" title={title}>
      {shown}
    </mark>
  )
}

function LikeMark({ title, shown }: MarkProps) {
  return (
    <mark className="lookalike" title={title}>
      {shown}
    </mark>
  )
}
