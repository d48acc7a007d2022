import type { NoteCode } from '../../../../src/contract/explanation/codes/note_codes.ts'
import type { Note, Row } from '../../../../src/contract/explanation/explanation.ts'
import { inWords } from '../../../../src/contract/explanation/texts/label_texts.ts'
import { isWarning } from '../../../../src/contract/explanation/warnings.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Says a word of an explanation in the language of the reader. A status and a type have the words of other pages. */
export function useWords(): (code: string) => string {
  const { activities, meaning } = useTexts()
  const statuses: Readonly<Record<string, string>> = activities.statuses
  return (code) => {
    if (Object.hasOwn(statuses, code)) return statuses[code] ?? code
    if (code.startsWith('ACTIVITY_TYPE_')) return typeName(code, meaning.explanation.labels)
    return inWords(code, meaning.explanation)
  }
}

/** `ACTIVITY_TYPE_CREATE_WALLET_V2` as people say it: `Create wallet`. `labels` has translations of operations. */
export function typeName(type: string, labels: Readonly<Record<string, string>>): string {
  const operation = type
    .replace(/^ACTIVITY_TYPE_/, '')
    .replace(/_V\d+$/, '')
    .toLowerCase()
  if (Object.hasOwn(labels, operation)) return labels[operation] ?? operation
  const words = operation.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The value of the first row with a label of ours. */
export function valueAt(rows: readonly Row[], label: string): Row['value'] | undefined {
  return rows.find((row) => 'label' in row && row.label === label)?.value
}

/** Notes that are no warning of a title, and that a reader must not miss either. The others say why something is not there. */
const furtherWarnings: ReadonlySet<NoteCode> = new Set<NoteCode>([
  'unknownCall',
  'argumentsUnreadable',
  'amountOrTokenId',
  'severalTimes',
  'inPayload',
  'inPayloads',
  'addressTableLookup',
  'lookedUpAccount',
])

export function isMarked(note: Note): boolean {
  return isWarning(note) || furtherWarnings.has(note.code)
}
