/**
 * Something that is wrong in an export. `origin` and `index`: of the log and its entry, where it is known. `about`: the
 * activity of the entry, its votes and policies. `kind`: nobody
 * vouches for the log, it is older than what the reader holds, or entries are missing.
 */
export type Finding = {
  readonly origin?: string
  readonly index?: number
  readonly what: string
  readonly about?: string
  readonly kind?: 'unvouched' | 'older' | 'incomplete'
}

/**
 * The outcome of a step. `notChecked`: how often each of these could not be checked from the file. `unchecked`: the entries,
 * if there are any, and at most `findingsMax` of them.
 */
export type StepResult = {
  readonly checked: number
  readonly notChecked: Readonly<Record<string, number>>
  readonly unchecked?: readonly UncheckedEntry[]
  readonly findings: readonly Finding[]
  readonly findingsCount: number
}

/** `because`: more about this one. */
export type UncheckedEntry = Place & { readonly why: string; readonly because?: string }
type Place = { readonly origin: string; readonly index: number }

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

/**
 * A part of a step that is right, wrong because of `what`, or that nobody can check from the file: `why` is one of a few
 * texts, `because` more about this one.
 */
export type Outcome =
  | { readonly kind: 'right' }
  | ({ readonly kind: 'wrong' } & Pick<Finding, 'what' | 'about'>)
  | ({ readonly kind: 'unchecked' } & Pick<UncheckedEntry, 'why' | 'because'>)

export const right = { kind: 'right' } as const
export const wrong = (what: string): Outcome => ({ kind: 'wrong', what })
export const unchecked = (why: string, because?: string): Outcome => ({
  ...{ kind: 'unchecked', why },
  ...(because === undefined ? {} : { because }),
})

/** The reason of late decisions that the rules of their place do not make. */
export const lateUnlike = 'decisions that are marked late, and would be others by the rules of their place'
/** The reason of late votes by what was there some time before their place. */
export const lateByFormer = 'votes that are marked late, of a user, key or origin that was gone at their place'
/** The reason of late signatures by an account or private key that may have been there before their place. */
export const lateSigner = 'signatures that are marked late, by keys that were not there at their place'
/** All that only the mark *late* excuses: `--strict` calls it a fault. */
export const excusedByLate: readonly string[] = [lateUnlike, lateByFormer, lateSigner]

/**
 * A late entry shows a decision by the rules and records of some time before it, which is not told. By those of its
 * place it may be right. If it is not, those of before may have allowed it.
 */
export function unlessLate(outcome: Outcome): Outcome {
  return outcome.kind === 'wrong' ? unchecked(lateUnlike, `at its place ${outcome.what}`) : outcome
}

/** Counts the outcomes of a step. */
export function createOutcomes() {
  const findings = createFindings()
  const uncheckedBy = new Map<string, number>()
  const named: UncheckedEntry[] = []
  let checked = 0

  function noteUnchecked(entry: UncheckedEntry): void {
    uncheckedBy.set(entry.why, (uncheckedBy.get(entry.why) ?? 0) + 1)
    if (named.length < findingsMax) named.push(entry)
  }

  return {
    add({ origin, index }: Place, outcome: Outcome): void {
      if (outcome.kind === 'right') checked += 1
      else if (outcome.kind === 'wrong') {
        const { kind: _, ...what } = outcome
        findings.add({ origin, index, ...what })
      } else {
        const { kind: _, ...why } = outcome
        noteUnchecked({ origin, index, ...why })
      }
    },
    result: (): StepResult => ({
      ...{ checked, notChecked: Object.fromEntries(uncheckedBy), ...(named.length > 0 && { unchecked: named }) },
      ...{ findings: findings.named, findingsCount: findings.count() },
    }),
  }
}

/** The outcome where a document made the check itself fail: whoever signs for a vault can give a text any form. */
export const unreadable = (error: unknown): Outcome =>
  wrong(`its document cannot be read: ${error instanceof Error ? error.message : error}`)
