import type { Title, Value } from '../../../../src/contract/explanation/explanation.ts'
import { sentenceParts, warningParts } from '../../../../src/contract/explanation/texts/label_texts.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Amount } from '../amount.tsx'
import { WarningIcon } from '../icons.tsx'
import { UserText } from '../user_text.tsx'
import { MeaningValue } from './meaning_value.tsx'

/** The title of an explanation: its first warning, and one sentence with values that take no more room than they must. */
export function MeaningTitle({ title }: { readonly title: Title }) {
  const { explanation } = useTexts().meaning
  const warning = warningParts(title, explanation)
  return (
    <span className="meaning-title">
      {warning.length > 0 && (
        <strong className="meaning-warning meaning-title-warning">
          <WarningIcon size={16} />
          <span>
            <TitleParts parts={warning} />
          </span>
        </strong>
      )}
      <TitleParts parts={sentenceParts(title, explanation)} />
    </span>
  )
}

function TitleParts({ parts }: { readonly parts: ReturnType<typeof warningParts> }) {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts are a sentence, which changes as a whole
    <span key={index}>{typeof part === 'string' ? part : <TitleValue value={part} />}</span>
  ))
}

/** Addresses are whole here too: two that differ in the middle look alike when cut. */
function TitleValue({ value }: { readonly value: Value }) {
  switch (value.kind) {
    case 'amount':
      return value.units !== undefined && value.unit !== undefined ? (
        <Amount value={value.units} unit={value.unit} />
      ) : (
        <MeaningValue value={value} />
      )
    case 'address':
      return <code>{value.address}</code>
    case 'id':
      return value.name === undefined ? (
        <code>{value.id}</code>
      ) : (
        <UserText text={value.name} charactersMax={80} isQuoted />
      )
    case 'text':
      return (
        <UserText
          text={value.text}
          charactersMax={80}
          isQuoted
          {...(value.characters === undefined ? {} : { characters: value.characters })}
        />
      )
    case 'hex':
      return value.isCut === true ? <MeaningValue value={value} /> : <code>{value.hex}</code>
    default:
      return <MeaningValue value={value} />
  }
}
