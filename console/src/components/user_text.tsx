import { codePointOf, type TextPart, visibleParts } from '../../../src/protocol/tools/visible_text.ts'
import { useSpoken } from '../texts/texts.tsx'

const charactersDefault = 160

/**
 * A text that a user set: a name, a note, a memo. Invisible characters and look-alike letters are shown, the direction
 * of the text stays inside it, and a long text is cut with its length said.
 */
export function UserText({ text, charactersMax = charactersDefault, characters }: UserTextProps) {
  const { language, texts } = useSpoken()
  const given = [...text]
  const shown = given.length > charactersMax ? given.slice(0, charactersMax).join('') : text
  const whole = characters ?? given.length
  return (
    <bdi className="user-text">
      {visibleParts(shown).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts are a text, which changes as a whole
        <Part key={index} part={part} />
      ))}
      {whole > charactersMax && (
        <span className="user-text-cut">
          … {texts.common.hidden.cut(new Intl.NumberFormat(language).format(whole))}
        </span>
      )}
    </bdi>
  )
}

type UserTextProps = {
  readonly text: string
  readonly charactersMax?: number
  /** The length of the whole, if the text is its beginning. */
  readonly characters?: number
}

function Part({ part: { kind, text } }: { readonly part: TextPart }) {
  const { hidden } = useSpoken().texts.common
  if (kind === 'plain') return text
  const code = codePointOf(text)
  return kind === 'hidden' ? (
    <mark className="hidden-character" title={hidden.character(code)}>
      {code}
    </mark>
  ) : (
    <mark className="lookalike" title={hidden.lookalike(code)}>
      {text}
    </mark>
  )
}
