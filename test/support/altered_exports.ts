import { exportOf, logsOf, type MadeLog, policyOf, type Step, strangerId } from './log_exports.ts'

/** An honest export of a random history, and files that are made of it by other hands. */

/** Numbers that look random, and are the same at each run. */
function createDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** A random history of two logs: changes, signatures and entries of a stranger. */
function historyOf(seed: number, length: number): readonly Step[] {
  const dice = createDice(seed)
  let version = 0
  return Array.from({ length }, (): Step => {
    const log = dice(2)
    if (version > 0 && dice(3) === 0) return { log, restsOn: version }
    if (dice(4) === 0) return { log, of: strangerId, makes: 1 }
    version += 1
    return { log, makes: version }
  })
}

export const randomLogs = logsOf(2, historyOf(20_261_130, 1_200)) as readonly [MadeLog, MadeLog]
export const honestExport = exportOf(randomLogs)
export const randomPolicy = policyOf(randomLogs)

type Line = { readonly log?: number; readonly from?: number; readonly index?: number; readonly end?: object }
export const linesOf = (text: string) => text.split('\n').slice(0, -1)
export const read = (line: string): Line => JSON.parse(line)

/** The file of these lines, with an end that fits them. */
export function fileOf(lines: readonly string[]): string {
  let at = 0
  let entries = 0
  const starts: number[] = []
  const all = lines.filter((line) => !line.startsWith('{"end"'))
  for (const [place, line] of all.entries()) {
    if (place > 0) {
      const { log = 0, entries: some = [] } = JSON.parse(line)
      while (starts.length <= log) starts.push(at)
      entries += some.length
    }
    at += Buffer.byteLength(line) + 1
  }
  while (starts.length < JSON.parse(all[0] ?? '').logs.length) starts.push(at)
  return `${[...all, JSON.stringify({ end: { starts, entries } })].join('\n')}\n`
}

export const bundlesIn = (lines: readonly string[]) =>
  lines.flatMap((line, at) => (read(line).from === undefined ? [] : [at]))
export const documentsIn = (lines: readonly string[]) =>
  lines.flatMap((line, at) => (read(line).index === undefined ? [] : [at]))

/** The honest file with its lines altered. */
export function altered(change: (lines: string[]) => void, text = honestExport): string {
  const lines = linesOf(text)
  change(lines)
  return fileOf(lines)
}

export function editHeader(
  lines: string[],
  change: (header: { organizationId: string; logs: { checkpoint: string }[] }) => void,
) {
  const header = JSON.parse(lines[0] ?? '')
  change(header)
  lines[0] = JSON.stringify(header)
}
