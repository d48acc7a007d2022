import { diffLines, diffWordsWithSpace } from 'diff'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'

const lineCharactersMax = 5_000

/** Two texts line by line: the lines that went, those that came, and what differs within a line that was changed. */
export function Difference({ from, to }: { readonly from: string; readonly to: string }) {
  const { history: texts } = useTexts().policies
  return (
    <div className="difference">
      {linesOf(from, to).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are a text, which changes as a whole
        <div key={index} className="difference-line" data-kind={line.kind}>
          {line.kind === 'kept' ? (
            <span className="difference-sign" aria-hidden="true" />
          ) : (
            <span className="difference-sign" role="img" aria-label={texts[line.kind]}>
              {line.kind === 'removed' ? '−' : '+'}
            </span>
          )}
          <code>
            {line.pieces.map(({ text, isChanged }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <span key={at} className={isChanged ? 'difference-piece' : undefined}>
                <UserText text={text} charactersMax={lineCharactersMax} hasLines />
              </span>
            ))}
          </code>
        </div>
      ))}
    </div>
  )
}

type Line = {
  readonly kind: 'removed' | 'added' | 'kept'
  readonly pieces: readonly { readonly text: string; readonly isChanged: boolean }[]
}

/** A line that is replaced by one line stands beside it, with the words that differ. */
export function linesOf(from: string, to: string): readonly Line[] {
  const blocks = diffLines(from, to)
  return blocks.flatMap(({ value, removed, added }, index): Line[] => {
    const partner = removed ? blocks[index + 1] : added ? blocks[index - 1] : undefined
    const lines = splitLines(value)
    const others = partner !== undefined && (removed ? partner.added : partner.removed) ? splitLines(partner.value) : []
    const kind = removed ? 'removed' : added ? 'added' : 'kept'
    return lines.map((text, at) => {
      const other = others.length === lines.length ? others[at] : undefined
      if (kind === 'kept' || other === undefined) return { kind, pieces: [{ text, isChanged: false }] }
      const words = kind === 'removed' ? diffWordsWithSpace(text, other) : diffWordsWithSpace(other, text)
      const own = words.filter((word) => (kind === 'removed' ? !word.added : !word.removed))
      return { kind, pieces: own.map((word) => ({ text: word.value, isChanged: word.added || word.removed })) }
    })
  })
}

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
