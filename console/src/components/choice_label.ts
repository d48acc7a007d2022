import { visibleText } from '../../../src/protocol/tools/visible_text.ts'
import { shortened } from './id.tsx'

/**
 * Names a thing in a list of the browser's own, which shows plain text alone. Several things may have the same name, or
 * names that look the same, so the id stands beside it.
 */
export function choiceLabel({ id, name }: { readonly id: string; readonly name: string }): string {
  const { text, flags } = visibleText(name)
  return `${flags.length === 0 ? '' : '⚠ '}${text} · ${shortened(id)}`
}
