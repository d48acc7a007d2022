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
