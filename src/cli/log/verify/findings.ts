/** Something that is wrong in an export. `origin` and `index`: of the log and its entry, where it is known. */
export type Finding = { readonly origin?: string; readonly index?: number; readonly what: string }

/** The outcome of a step. `notChecked`: how often each of these could not be checked from the file. */
export type StepResult = {
  readonly checked: number
  readonly notChecked: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
  readonly findingsCount: number
}

/** So many are named. All are counted. */
export const findingsMax = 100

export type Findings = ReturnType<typeof createFindings>

export function createFindings() {
  const named: Finding[] = []
  let count = 0
  return {
    named,
    count: () => count,
    add(finding: Finding): void {
      count += 1
      if (named.length < findingsMax) named.push(finding)
    },
  }
}

/** A part of a step that is right, wrong because of `what`, or that nobody can check from the file: `why` says so. */
export type Outcome =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly what: string }
  | { readonly kind: 'unchecked'; readonly why: string }

export const right = { kind: 'right' } as const
export const wrong = (what: string): Outcome => ({ kind: 'wrong', what })
export const unchecked = (why: string): Outcome => ({ kind: 'unchecked', why })

/** Counts the outcomes of a step. */
export function createOutcomes() {
  const findings = createFindings()
  const uncheckedBy = new Map<string, number>()
  let checked = 0
  return {
    add({ origin, index }: Required<Omit<Finding, 'what'>>, outcome: Outcome): void {
      if (outcome.kind === 'right') checked += 1
      else if (outcome.kind === 'wrong') findings.add({ origin, index, what: outcome.what })
      else uncheckedBy.set(outcome.why, (uncheckedBy.get(outcome.why) ?? 0) + 1)
    },
    result: (): StepResult => ({
      ...{ checked, notChecked: Object.fromEntries(uncheckedBy) },
      ...{ findings: findings.named, findingsCount: findings.count() },
    }),
  }
}

/** The outcome where a document made the check itself fail: whoever signs for a vault can give a text any form. */
export const unreadable = (error: unknown): Outcome =>
  wrong(`its document cannot be read: ${error instanceof Error ? error.message : error}`)
