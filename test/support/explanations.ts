import { expect, onTestFinished, vi } from 'vitest'
import type { Explanation, Row, Value } from '../../src/contract/explanation/explanation.ts'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import { operationOfType } from '../../src/operations/catalogue.ts'
import { oneStep } from '../../src/protocol/tools/steps.ts'
import type { Parameters, TestOrganization } from './organization.ts'

export type Explained = {
  readonly explanation: Explanation
  readonly lines: readonly string[]
  /** The result of the activity: the signature, or the signed transaction. */
  readonly result: Readonly<Record<string, string>>
}

/** Returns a function that asks for an activity and returns its explanation, also as lines without indents. */
export function explaining({ submit, found }: Pick<TestOrganization, 'submit' | 'found'>) {
  return async (name: string, parameters: Parameters): Promise<Explained> => {
    const { status, body } = await submit(name, parameters)
    expect(status, JSON.stringify(body)).toBe(200)
    const answer = await found('explain_activity', { activityId: body.activity.id })
    const explanation: Explanation = answer.explanation
    const [result = {}] = Object.values<Explained['result']>(body.activity.result ?? {})
    return { result, explanation, lines: plainLines(explanation).map((line) => line.trim().replaceAll('\u00a0', '')) }
  }
}

/** The values of all rows with this label in the sections of that kind. */
export function valuesAt({ sections }: Pick<Explanation, 'sections'>, kind: string, label: string): readonly Value[] {
  return sections.flatMap((section) =>
    section.kind === kind ? section.rows.flatMap((row) => (labelOf(row) === label ? [row.value] : [])) : [],
  )
}

/** The codes of the warnings in the title, in their order. */
export function warningsOf({ title }: Pick<Explanation, 'title'>): readonly string[] {
  return (title.warnings ?? []).map(({ code }) => code)
}

/** The member of a tree by its label or name. */
export function memberOf(value: Value | undefined, label: string): Value | undefined {
  return value?.kind === 'tree' ? value.rows.find((row) => labelOf(row) === label)?.value : undefined
}

export function labelOf(row: Row): string {
  return 'label' in row ? row.label : row.name
}

/** A value as libraries write it: integers as bigint, addresses, texts and hex as text, lists and trees as they are. */
export function plain(value: Value | undefined): unknown {
  switch (value?.kind) {
    case 'number':
      return BigInt(value.number)
    case 'amount':
      return BigInt(value.smallest)
    case 'address':
      return value.address
    case 'text':
      return value.text
    case 'hex':
      return value.hex
    case 'code':
      return value.code === 'yes' ? true : value.code === 'no' ? false : value.code === 'none' ? [] : value.code
    case 'chain':
      return value.caip2
    case 'list': {
      // The greatest integer stands beside its note.
      const [first, second] = value.items
      return second?.kind === 'note' ? plain(first) : value.items.map(plain)
    }
    case 'tree':
      return Object.fromEntries(value.rows.map((row) => [labelOf(row), plain(row.value)]))
    default:
      return value
  }
}

/** What the error of a broken explanation quotes. */
export const brokenText = 'a text of the request'

/** Puts a bug into the explanation of the activities of one type. */
export function breakExplanation(type: string): void {
  const accepted = operationOfType(type)?.accepted
  if (accepted === undefined) throw new Error('there is no such type')
  const { read } = accepted
  vi.spyOn(accepted, 'read').mockImplementation((...given) => ({
    ...read(...given),
    explain: () =>
      oneStep(() => {
        throw new TypeError(`cannot read ${brokenText}`)
      }),
  }))
  onTestFinished(() => void vi.restoreAllMocks())
}
