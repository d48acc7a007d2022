import type { Row, Value } from '../../../../src/contract/explanation/explanation.ts'
import { noteParts } from '../../../../src/contract/explanation/texts/label_texts.ts'
import { runsOf, shownAtFirst } from '../../../../src/contract/explanation/texts/runs.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Amount } from '../amount.tsx'
import { Copy } from '../copy.tsx'
import { WarningIcon } from '../icons.tsx'
import { Address, Id } from '../id.tsx'
import { Duration, Time } from '../time.tsx'
import { UserText } from '../user_text.tsx'
import { FirstOf } from './first_of.tsx'
import { isMarked, useWords, valueAt } from './words.ts'

const noteCharactersMax = 1_000
const nameCharactersMax = 256

/** Whether a value stands on a line of its own parts, so that its label can stand above it. */
function isBlock({ kind, ...value }: Value): boolean {
  if (kind === 'change' && 'from' in value) return isBlock(value.from) || isBlock(value.to)
  if (kind === 'list' && 'items' in value) return value.items.some((item) => item.kind === 'tree' || isBlock(item))
  return kind === 'tree'
}

/** A value of an explanation. Texts and names that somebody set go through `UserText`. */
export function MeaningValue({ value }: { readonly value: Value }) {
  const { meaning } = useTexts()
  const words = useWords()
  switch (value.kind) {
    case 'text':
      return <SetText text={value.text} characters={value.characters} />
    case 'code':
      return words(value.code)
    case 'number':
      return <Amount value={value.number} />
    case 'amount':
      return <AmountValue amount={value} />
    case 'chain':
      return (
        <>
          {value.name} {value.caip2 !== undefined && <code className="meaning-aside">{value.caip2}</code>}
        </>
      )
    case 'address':
      return (
        <span className="meaning-named">
          {value.name !== undefined && <SetName name={value.name} />}
          {value.account !== undefined && (
            <>
              <span className="meaning-aside">{words('account')}</span>
              <SetName name={value.account} />
            </>
          )}
          <Address address={value.address} what={meaning.address} />
        </span>
      )
    case 'id':
      return (
        <span className="meaning-named">
          {value.name !== undefined && <SetName name={value.name} />}
          {value.of !== undefined && <span className="meaning-aside">{words(value.of)}</span>}
          <Id id={value.id} />
        </span>
      )
    case 'time':
      return <Time of={value.at} />
    case 'duration':
      return <Duration seconds={value.seconds} />
    case 'hex':
      return <HexValue value={value} />
    case 'note':
      return <Note note={value} />
    case 'leftOut':
      return <LeftOut value={value} />
    case 'tree':
      return <MeaningRows rows={value.rows} />
    case 'list':
      return <ListValue items={value.items} />
    case 'change':
      return <ChangeValue change={value} />
  }
}

type Of<K extends Value['kind']> = Extract<Value, { readonly kind: K }>

/** The vault has cut what is too long. */
function SetText({ text, characters }: { readonly text: string; readonly characters: number | undefined }) {
  return (
    <UserText
      text={text}
      charactersMax={text.length}
      hasLines
      isQuoted
      {...(characters === undefined ? {} : { characters })}
    />
  )
}

function SetName({ name }: { readonly name: string }) {
  return (
    <span className="meaning-name">
      <UserText text={name} charactersMax={nameCharactersMax} isQuoted />
    </span>
  )
}

function AmountValue({ amount: { smallest, smallestUnit, units, unit, token } }: { readonly amount: Of<'amount'> }) {
  const { meaning } = useTexts()
  const least = <Amount value={smallest} unit={smallestUnit ?? meaning.smallestUnit} />
  return (
    <span className="meaning-amount">
      {units === undefined || unit === undefined ? (
        least
      ) : (
        <>
          <strong>
            <Amount value={units} unit={unit} />
          </strong>
          <span className="meaning-aside">{least}</span>
        </>
      )}
      {token !== undefined && (
        <span className="meaning-named">
          <span className="meaning-aside">{meaning.ofToken}</span>
          <Address address={token} what={meaning.address} />
        </span>
      )}
    </span>
  )
}

function HexValue({ value: { hex, bytes, isCut } }: { readonly value: Of<'hex'> }) {
  const { meaning } = useTexts()
  return (
    <span className="meaning-hex">
      <code>
        {hex}
        {isCut === true && '…'}
      </code>
      {isCut !== true && <Copy text={hex} what={meaning.bytesOf} />}
      <span className="meaning-aside">
        <Amount value={String(bytes)} /> {meaning.bytesOf}
      </span>
    </span>
  )
}

function Note({ note }: { readonly note: Of<'note'> }) {
  const { meaning } = useTexts()
  const { detail } = note
  const isWarning = isMarked(note)
  return (
    <span className={isWarning ? 'meaning-warning' : 'meaning-aside'}>
      {isWarning && <WarningIcon size={14} />}
      <span>
        {noteParts(note, meaning.explanation).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are a sentence, which changes as a whole
          <span key={index}>{typeof part === 'string' ? part : <MeaningValue value={part} />}</span>
        ))}
        {detail !== undefined && (
          <>
            {': '}
            <UserText text={detail} charactersMax={noteCharactersMax} isQuoted />
          </>
        )}
      </span>
    </span>
  )
}

function LeftOut({ value: { count, sum } }: { readonly value: Of<'leftOut'> }) {
  const { meaning } = useTexts()
  return (
    <span className="meaning-left-out">
      {meaning.leftOut(String(count))}
      {sum !== undefined && (
        <>
          {', '}
          {meaning.together} <MeaningValue value={sum} />
        </>
      )}
    </span>
  )
}

function ListValue({ items }: { readonly items: readonly Value[] }) {
  return (
    <FirstOf items={items} first={shownAtFirst.items}>
      {(shown) => (
        <ul className="meaning-list">
          {shown.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of an explanation never move
            <li key={index}>
              <MeaningValue value={item} />
            </li>
          ))}
        </ul>
      )}
    </FirstOf>
  )
}

function ChangeValue({ change: { from, to } }: { readonly change: Of<'change'> }) {
  const { meaning } = useTexts()
  return (
    <span className="meaning-change">
      <span className="meaning-from">
        <MeaningValue value={from} />
      </span>
      <span className="meaning-arrow" role="img" aria-label={meaning.becomes}>
        →
      </span>
      <span className="meaning-to">
        <MeaningValue value={to} />
      </span>
    </span>
  )
}

/** Labels and values. Rows of one label stand under it, counted; the first are shown, and the others on demand. */
export function MeaningRows({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <FirstOf items={runsOf(rows)} first={shownAtFirst.runs}>
      {(shown) => (
        <dl className="meaning-rows">
          {shown.map((run, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of an explanation never move
            <Run key={index} rows={run} />
          ))}
        </dl>
      )}
    </FirstOf>
  )
}

function Run({ rows }: { readonly rows: readonly Row[] }) {
  const [first] = rows
  if (first === undefined) return null
  if (rows.length === 1) {
    return (
      <div className="meaning-row" data-block={isBlock(first.value)}>
        <dt>
          <Label row={first} />
        </dt>
        <dd>
          <MeaningValue value={first.value} />
        </dd>
      </div>
    )
  }
  return (
    <div className="meaning-row" data-block={true}>
      <dt>
        <Label row={first} /> · <Amount value={String(rows.length)} />
      </dt>
      <dd>
        <FirstOf items={rows} first={shownAtFirst.rows}>
          {(shown) => (
            <ol className="meaning-items">
              {shown.map(({ value }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of an explanation never move
                <li key={index} value={numberIn(value) ?? index + 1}>
                  <MeaningValue value={value} />
                </li>
              ))}
            </ol>
          )}
        </FirstOf>
      </dd>
    </div>
  )
}

/** The number that an item has of its own: the worst payload of a batch comes first. */
function numberIn(value: Value): number | undefined {
  const number = value.kind === 'tree' ? valueAt(value.rows, 'number') : undefined
  return number?.kind === 'number' ? Number(number.number) : undefined
}

/** The label before a value: a word of ours, or a name from the request. */
function Label({ row }: { readonly row: Row }) {
  const words = useWords()
  if ('label' in row) return <span className="meaning-label">{words(row.label)}</span>
  return (
    <span className="meaning-given-label">
      <UserText text={row.name} charactersMax={nameCharactersMax} isQuoted />
    </span>
  )
}
