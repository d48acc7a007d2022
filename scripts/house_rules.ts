import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { linesWithLostPaths, recordFiles, recordOf } from './decisions.ts'

/** The house rules that no other tool knows, one row each. Exits 1 and names file and line of each breach. */
type Rule = {
  readonly name: string
  readonly files: string
  readonly except?: RegExp
  /** The lines that break the rule. */
  readonly breaks: (lines: readonly string[], file: string) => readonly number[]
  /** Lines each of which has to break the rule, so that a pattern that finds nothing any more is noticed. */
  readonly examples?: readonly string[]
}

const sourceLinesMax = 300
const securityBytesMax = 10_240
const tests = /\.test\.ts$/
/** These are written by programs, and have lines for each operation. */
const testsAndGenerated = /\.test\.ts$|^console\/src\/api\/operations\.ts$/
/** A character, a class or a group of a pattern. */
const character = String.raw`(?:\\[^bB]|\[(?:\\.|[^\]\\])+\]|\([^()]*\)|[^\\^()[\]|/])`
/** Each chooses among functions that use the context. */
const handOn = ['askStamped', 'identifyOrRecorded', 'findDeletion', 'prepareToTell']
const documents = '{*,docs/**/*,test/**/*,src/**/*,bench/**/*}.md'

const rules: readonly Rule[] = [
  {
    name: `a source file has at most ${sourceLinesMax} lines`,
    files: '{src,console/src}/**/*.{ts,tsx}',
    except: testsAndGenerated,
    breaks: (lines) => (lines.length > sourceLinesMax + 1 ? [sourceLinesMax + 1] : []),
  },
  {
    name: 'no cast through unknown',
    files: '{src,test,bench,scripts,console/src}/**/*.{ts,tsx}',
    breaks: matching(/\bas unknown as\b/, 'as unknown'),
  },
  {
    name: 'operations run in execute.ts, again in run_again.ts, queries in answer_query.ts',
    files: 'src/**/*.ts',
    except: /\.test\.ts$|^src\/(vault\/activity\/(carry_out\/execute|answer_query)|deciding\/changes\/run_again)\.ts$/,
    breaks: matching(/\bbound\.run\b/, 'bound.run'),
  },
  {
    name: 'a command prints by standard_output.ts, which escapes what a terminal would obey or hide',
    files: 'src/cli/**/*.ts',
    except: /\.test\.ts$|^src\/cli\/shared\/standard_output\.ts$/,
    breaks: matching(/\bconsole\./),
    examples: ['console.log(text)'],
  },
  {
    name: 'no cast to never: it fits everything',
    files: '{src,console/src}/**/*.{ts,tsx}',
    except: /\.test\.ts$/,
    breaks: matching(/\bas never\b/, 'as never'),
  },
  {
    name: 'a type is named as what it is: not Parts, Given, Asked or Options alone',
    files: '{src,console/src}/**/*.{ts,tsx}',
    except: tests,
    breaks: matching(/^(export )?type (Parts|Given|Asked|Options)\b/, 'type '),
  },
  {
    name: 'a comment names its subject: no sentence opens with Whoever, Of or What',
    files: '{src,console/src}/**/*.{ts,tsx}',
    except: /\.test\.tsx?$/,
    breaks: matching(/^\s*(\/\*\*|\*|\/\/) (.*[.:;] )?(Whoever|Of|What) [a-zA-Z`]/),
  },
  {
    name: 'a boolean has its name at the call: it is a member, not a parameter',
    files: 'src/**/*.ts',
    except: /\.test\.ts$|^src\/protocol\/chains\/borsh\.ts$/, // there the boolean is the encoded value
    breaks: matching(/^ *(export )?(async )?(function|const) .*[(,] ?\w+\??: boolean\b/, ': boolean'),
  },
  {
    name: 'nothing of the console is in a module or starts with it: console/src/state/console.ts makes what is kept',
    files: 'console/src/**/*.{ts,tsx}',
    except: /\.test\.ts$|^console\/src\/(main\.tsx|verify\/main\.ts)$/,
    // A constant of a type that only reads is no state, nor is a cipher suite. A call at the start of a line runs at load.
    breaks: matching(
      /^(export )?(let|var) |^(export )?const \w+(: (?![Rr]eadonly)[^=]+)? = (new (?!CipherSuite)|\[\]$|\{\}$)|^(await |void )?[a-zA-Z.]+\(/,
    ),
    examples: [
      'let current: Notice | undefined',
      'export const known = new Map<string, number>()',
      'const known: Map<string, number> = new Map()',
      "const channel = new BroadcastChannel('session')",
      'const waiting: string[] = []',
      "addEventListener('online', told)",
      "document.addEventListener('visibilitychange', told)",
      'void start()',
    ],
  },
  {
    name: 'default exports are for operations only',
    files: '{src,console/src}/**/*.{ts,tsx}',
    except: /^src\/operations\/[^/]+\//,
    breaks: matching(/^export default /),
  },
  {
    name: 'an operation is named as its file',
    files: 'src/operations/*/*.ts',
    except: tests,
    breaks: (lines, file) => {
      const name = file.replace(/^.*\//, '').replace(/\.ts$/, '')
      return lines.some((line) => line === `  name: '${name}',`) ? [] : [1]
    },
  },
  {
    name: 'an operation has its test beside it, which names it',
    files: 'src/operations/*/*.ts',
    except: tests,
    breaks: (_lines, file) => {
      const test = file.replace(/\.ts$/, '.test.ts')
      const name = file.replace(/^.*\//, '').replace(/\.ts$/, '')
      return existsSync(test) && readFileSync(test, 'utf8').includes(name) ? [] : [1]
    },
  },
  {
    name: 'a TODO names its issue',
    files: '{src,test,bench,scripts}/**/*.ts',
    breaks: matching(/\bTODO\b(?!\(#\d+\))/, 'TODO'),
  },
  {
    name: 'only the command line prints',
    files: 'src/{contract,deciding,link,operations,policy,protocol,service,vault}/**/*.ts',
    except: tests,
    breaks: matching(/\bconsole\.|process\.stdout/),
  },
  {
    // The linter forbids `Date` there, but it knows no members of a global.
    name: 'time is an argument of what is pure: no Temporal.Now',
    files: 'src/{contract,deciding,operations,policy,protocol}/**/*.ts',
    except: tests,
    breaks: matching(/\bTemporal\b.*\bNow\b|\bNow\b.*\bTemporal\b/),
  },
  {
    name: 'a text of any length is normalized by `normalized`: the runtime takes minutes for many marks',
    files: '{src,console/src}/**/*.{ts,tsx}',
    // The passphrase of a mnemonic has a bound, and must not be cut.
    except: /\.test\.ts$|^src\/protocol\/tools\/normalized\.ts$|^src\/vault\/keys\/derive\.ts$/,
    breaks: matching(/\.normalize\(/, '.normalize('),
  },
  {
    name: 'a text is read from its end, as by `withoutEnd`: a repetition before `$` alone begins anew at each character',
    files: '{src,console/src}/**/*.{ts,tsx}',
    except: tests,
    // The whole of a literal: at most one character, and a repeated one. Longer ones begin at few places of a text.
    breaks: matching(new RegExp(String.raw`\/${character}{1,2}(?:[+*]|\{\d+,\})\??\$\/`), '$/'),
  },
  {
    name: 'what weighs, tells and records only reads: it takes a Reading, and neither bytes nor what makes things',
    files: 'src/vault/{rules/**/*,activity/{record,tell/**/*}}.ts',
    except: tests,
    breaks: matching(/\b(Asking|Making)\b/, 'Asking'),
  },
  {
    name: 'who asks makes nothing: no Making there',
    files: 'src/vault/{caller,activity/ask}/**/*.ts',
    except: /\.test\.ts$|^src\/vault\/caller\/request_context\.ts$/,
    breaks: matching(/\bMaking\b/, 'Making'),
  },
  {
    name: 'what runs has no bytes of the request: no Asking there',
    files: 'src/vault/activity/carry_out/**/*.ts',
    except: tests,
    breaks: matching(/\bAsking\b/, 'Asking'),
  },
  {
    name: 'below the files of the verbs of the vault nothing takes all of its services',
    files: 'src/vault/{activity,books,caller,keys,outside,rules,state}/**/*.ts',
    except: /\.test\.ts$|^src\/vault\/activity\/(answer|make_organization|open_message)\.ts$/,
    breaks: matching(/(: |& )VaultServices\b(?!\[)/, 'VaultServices'),
  },
  {
    name: 'no type joins two of Reading, Asking and Making',
    files: 'src/vault/**/*.ts',
    breaks: matching(/\b(Reading|Asking|Making)\b[^=,;)]*&[^=,;)]*\b(Reading|Asking|Making)\b/, '&'),
  },
  {
    name: `a function takes the context of a request to use it; only these hand it on: ${handOn.join(', ')}`,
    files: 'src/vault/activity/**/*.ts',
    except: /\.test\.ts$|^src\/vault\/activity\/answer\.ts$/,
    breaks: handingOn,
  },
  {
    name: 'no test is committed as the only one',
    files: '{src,test}/**/*.test.ts',
    breaks: matching(/\b(test|describe|it)\.only\(/),
  },
  {
    name: 'a test that a document names exists in the file to which it links, by that name; a … at its end stands for more',
    files: documents,
    breaks: (lines, file) =>
      linesWith(lines, ({ text, target }) => {
        const isNamed = target.endsWith('.test.ts') && text !== 'test'
        return isNamed && !testFileHas(join(dirname(file), target), text)
      }),
  },
  {
    name: 'a relative link of a document leads to a file, or a heading',
    files: documents,
    breaks: (lines, file) =>
      linesWith(lines, ({ target }) => !/^[a-z]+:/.test(target) && !leadsSomewhere(file, target)),
  },
  {
    name: `SECURITY.md is a page: it has at most ${securityBytesMax} bytes`,
    files: 'SECURITY.md',
    breaks: (lines) => (Buffer.byteLength(lines.join('\n')) > securityBytesMax ? [lines.length] : []),
  },
  {
    name: 'SECURITY.md leads to each section of the threat model that says what is not defended',
    files: 'docs/threat_model.md',
    breaks: (lines) => {
      const page = readFileSync('SECURITY.md', 'utf8')
      let heading = 0
      const headings = lines.flatMap((line, index) => {
        if (/^#+ /.test(line)) heading = index
        return /not defended(?!")/i.test(line) ? [heading] : []
      })
      const isMissing = (index: number) =>
        !page.includes(`threat_model.md#${anchorOf((lines[index] ?? '').replace(/^#+ /, ''))})`)
      return [...new Set(headings)].filter(isMissing).map((index) => index + 1)
    },
  },
  {
    name: 'line 3 of a record is `Status: accepted. Subject: S.`, with a subject of scripts/decisions.ts; or it is superseded, and a table says by which',
    files: recordFiles,
    breaks: (lines, file) => (recordOf(file, lines) === undefined ? [3] : []),
  },
  {
    name: 'a record that supersedes another is named in the table of that one',
    files: recordFiles,
    breaks: (lines, file) =>
      lines.flatMap((line, index) => {
        const other = /^Supersedes \[record \d+\]\(([^)]+)\)/.exec(line)?.[1]
        if (other === undefined) return []
        const path = join(dirname(file), other)
        const by = recordOf(path, readFileSync(path, 'utf8').split('\n'))?.supersededBy ?? []
        return by.includes(basename(file)) ? [] : [index + 1]
      }),
  },
  {
    name: 'a path that a record or test/README.md names exists, unless the record is superseded',
    files: '{docs/decisions/*,test/README}.md',
    breaks: (lines, file) => (recordOf(file, lines)?.status === 'superseded' ? [] : linesWithLostPaths(lines)),
  },
  {
    name: 'no path of somebody’s machine',
    files: '{src,test,bench,scripts,docs}/**/*',
    except: /\.(png|db)$/,
    breaks: matching(/(^|[^a-zA-Z0-9_.])\/(home|Users|root|work)\/[a-z]/),
  },
]

let broken = 0
for (const { name, files, except, breaks, examples = [] } of rules) {
  for (const example of examples) {
    if (breaks([example], '').length > 0) continue
    process.stderr.write(`scripts/house_rules.ts: this should break a rule, and does not: ${example}\n`)
    broken += 1
  }
  for (const file of globSync(files, { withFileTypes: true })) {
    const path = `${file.parentPath}/${file.name}`.replace(`${process.cwd()}/`, '')
    if (!file.isFile() || path === 'scripts/house_rules.ts' || except?.test(path)) continue
    for (const line of breaks(readFileSync(path, 'utf8').split('\n'), path)) {
      process.stderr.write(`${path}:${line}: ${name}\n`)
      broken += 1
    }
  }
}
process.exitCode = broken === 0 ? 0 : 1

type Link = { readonly text: string; readonly target: string }

/** The lines with a link of which `isBroken` is true. */
function linesWith(lines: readonly string[], isBroken: (link: Link) => boolean): readonly number[] {
  return lines.flatMap((line, index) => {
    const links = [...line.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)]
    return links.some(([, text = '', target = '']) => isBroken({ text, target })) ? [index + 1] : []
  })
}

/** Whether a literal of the file is the name. Where the name has a `…` at an end, the literal may go on there. */
function testFileHas(file: string, name: string): boolean {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [, before = '', part = '', after = ''] = /^(… ?)?(.*?)( ?…)?$/.exec(name) ?? []
  return ["'", '"', '`'].some((quote) => text.includes((before ? '' : quote) + part + (after ? '' : quote)))
}

function leadsSomewhere(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? from : join(dirname(from), path)
  if (!existsSync(file)) return false
  if (anchor === undefined || !file.endsWith('.md')) return true
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
  return headings.includes(anchor)
}

/** The anchor that the forges make of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** The functions that do nothing with the context of a request but give it to others. */
function handingOn(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line, index) => {
    const [, name = ''] = /^(?:export )?(?:async )?function (\w+)/.exec(line) ?? []
    const text = lines.slice(index, lines.indexOf('}', index)).join('\n')
    const [taken, context = ''] = /\b(\w+): (?:Reading|Asking|Making)\b/.exec(text) ?? []
    if (name === '' || taken === undefined || handOn.includes(name)) return []
    const use = new RegExp(`\\.\\.\\.${context}\\b|(?<![.\\w])${context}\\b(?![,)])`)
    return use.test(text.replace(taken, '')) ? [] : [index + 1]
  })
}

function matching(pattern: RegExp, quick?: string): Rule['breaks'] {
  return (lines) =>
    lines.flatMap((line, index) =>
      (quick === undefined || line.includes(quick)) && pattern.test(line) ? [index + 1] : [],
    )
}
