import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** The facts that a record of `docs/decisions` states of itself: in its title, in its status line, and in the table below it. */
type DecisionRecord = {
  readonly file: string
  readonly number: number
  readonly title: string
  readonly status: 'accepted' | 'partly superseded' | 'superseded'
  readonly subject: string
  /** The files of the records that supersede it or parts of it. */
  readonly supersededBy: readonly string[]
}

/** In the order of the index. */
export const subjects = [
  'Processes of the vault',
  'Seals and books',
  'Votes',
  'Rules',
  'Transactions and typed data',
  'Explanations',
  'Logins, links and sessions',
  'Messages and webhooks',
  'Console',
  'Fairness',
  'Speed',
  'HTTP and connections',
  'Database',
  'Transparency log',
  'Operation',
  'Code, tools and packaging',
]

export const recordFiles = 'docs/decisions/[0-9]*.md'

/** Each record that has a status, by its number. */
export function decisionRecords(): readonly DecisionRecord[] {
  const files = globSync(recordFiles).toSorted()
  return files.flatMap((file) => recordOf(file, readFileSync(file, 'utf8').split('\n')) ?? [])
}

export function recordOf(file: string, lines: readonly string[]): DecisionRecord | undefined {
  const [, number, title] = /^# (\d+)\. (.+)$/.exec(lines[0] ?? '') ?? []
  const [, status, subject] =
    /^Status: (accepted|partly superseded|superseded)\. Subject: (.+)\.$/.exec(lines[2] ?? '') ?? []
  if (number === undefined || title === undefined || subject === undefined || !subjects.includes(subject)) return
  const supersededBy = rowsBelow(lines).flatMap((row) => [...row.matchAll(/\]\(([^)#\s]+)/g)].map(([, to = '']) => to))
  if (status === 'accepted' ? supersededBy.length > 0 : supersededBy.length === 0) return
  if (Number(basename(file).slice(0, 4)) !== Number(number)) return
  const isKnown = status === 'accepted' || status === 'partly superseded' || status === 'superseded'
  return isKnown ? { file: basename(file), number: Number(number), title, status, subject, supersededBy } : undefined
}

/** The rows of the table of what is superseded, if it stands below the status line. */
function rowsBelow(lines: readonly string[]): readonly string[] {
  if (lines[4] !== '| Superseded | By |') return []
  const end = lines.indexOf('', 4)
  return lines.slice(6, end)
}

/** The index: a table for each subject. */
export function indexLines(): readonly string[] {
  const records = decisionRecords()
  return subjects.flatMap((subject) => {
    const rows = records
      .filter((record) => record.subject === subject)
      .map(({ file, number, title, status, supersededBy }) => {
        const by = [...new Set(supersededBy)].map(linked).join(', ')
        return `| ${number} | [${title}](${file}) | ${status}${by === '' ? '' : ` by ${by}`} |`
      })
    return ['', `### ${subject}`, '', '| | Record | Status |', '|---|---|---|', ...rows]
  })
}

/** `0018-http.md` as `18`, another page by its name. */
function linked(target: string): string {
  const number = /^(\d{4})-/.exec(target)?.[1]
  return `[${number === undefined ? basename(target, '.md') : Number(number)}](${target})`
}

const namesFile = /\.(tsx?|md|ya?ml|sh|cfg|service)$/
const namesFolder =
  /^(src|test|console|bench|scripts|docs|deploy|vault|service|deciding|contract|operations|policy|protocol|link|cli)\//

/**
 * The lines of a record that name, in backticks, a path that does not exist. A path may stand without the folders
 * above it. One that is in the repository no more is told of without its name, or the record is superseded.
 */
export function linesWithLostPaths(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, index) => {
    const named = [...line.matchAll(/`([\w.@/-]+)`/g)].map(([, path = '']) => path.replace(/\/$/, ''))
    const paths = named.filter((path) => namesFile.test(path) || namesFolder.test(path))
    return paths.every((path) => pathEnds().has(path)) ? [] : [index + 1]
  })
}

let ends: ReadonlySet<string> | undefined
/** `src/cli/main.ts` as `main.ts`, `cli/main.ts` and so on, and its folders likewise. */
function pathEnds(): ReadonlySet<string> {
  const folders = '{*,{bench,bin,deploy,docs,scripts,src,test}/**/*,console/*,console/{src,public}/**/*}'
  ends ??= new Set(
    globSync(folders).flatMap((path) => {
      const parts = path.split('/')
      return parts.map((_, index) => parts.slice(index).join('/'))
    }),
  )
  return ends
}
