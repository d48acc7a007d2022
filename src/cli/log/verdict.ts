import { excusedByLate, type Finding, type StepResult } from './verify/findings.ts'
import type { Verified } from './verify/verify_export.ts'

/** The last line of a report. `isRight`: the command exits with 0. */
export type Verdict = { readonly name: VerdictName; readonly why: string; readonly isRight: boolean }

type VerdictName = 'WRONG' | 'UNVOUCHED' | 'OLDER' | 'WHOLE, BUT NOT ALL CHECKED' | 'WHOLE'

type Faults = Pick<StepResult, 'findings' | 'findingsCount'>

/** `hasPolicy`: the reader has said whose keys count. `strict`: what was not kept, and what only its mark *late* excuses, is a fault. */
export function verdictOf(
  verified: Verified,
  { hasPolicy, strict }: { readonly hasPolicy: boolean; readonly strict: boolean },
): Verdict {
  const steps = Object.entries(verified)
  const faulty = steps.filter(([, { findingsCount }]) => findingsCount > 0)
  const faults = faulty.reduce((sum, [, { findingsCount }]) => sum + findingsCount, 0)
  const wrong = (why: string): Verdict => ({ name: 'WRONG', why, isRight: false })
  if (faulty.some(([, step]) => !areAll(step, ['unvouched', 'older']))) {
    return wrong(`${counted(faults, 'fault', 'faults')} in ${faulty.map(([name]) => name).join(', ')}`)
  }
  if (!hasPolicy) return unvouched('no --policy says whose keys these are')
  if (isUnvouched(verified)) return unvouched('who signed it is not whom your policy names')
  if (faults > 0) {
    return { name: 'OLDER', why: 'nothing in it is wrong, and you hold the proof of a larger tree', isRight: false }
  }
  const { unconfirmed } = verified.chain
  const late = notCheckedIn(verified, (why) => excusedByLate.includes(why))
  if (strict && unconfirmed.count + late > 0) {
    return wrong(`by --strict: ${unconfirmed.count} unconfirmed, ${late} late that their place does not explain`)
  }
  const left = uncheckedIn(verified)
  return left === 0
    ? { name: 'WHOLE', why: 'nothing is wrong up to its last entry', isRight: true }
    : {
        name: 'WHOLE, BUT NOT ALL CHECKED',
        why: `nothing is wrong in what was checked, and ${left} could not be: see “Not checked”`,
        isRight: true,
      }
}

const unvouched = (why: string): Verdict => ({ name: 'UNVOUCHED', why, isRight: false })

/** Whether the policy does not vouch for a log of the file. */
export function isUnvouched({ chain: { findings } }: Verified): boolean {
  return findings.some(({ kind }) => kind === 'unvouched')
}

/** Whether a step has only faults of these kinds. Where not all are named, the others may be of any kind. */
export function areAll({ findings, findingsCount }: Faults, kinds: readonly Finding['kind'][]): boolean {
  return findings.length === findingsCount && findings.every(({ kind }) => kind !== undefined && kinds.includes(kind))
}

/** How many entries of the file, or parts of them, no step could check. */
function uncheckedIn(verified: Verified): number {
  const { loose, unconfirmed } = verified.chain
  return loose + unconfirmed.count + notCheckedIn(verified, () => true)
}

/** How often the steps could not check something for such a reason. */
function notCheckedIn({ chain: _, ...steps }: Verified, isMeant: (why: string) => boolean): number {
  const reasons = Object.values(steps).flatMap(({ notChecked }) => Object.entries(notChecked))
  return reasons.reduce((sum, [why, count]) => (isMeant(why) ? sum + count : sum), 0)
}

export function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`
}
