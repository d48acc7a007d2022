import { globSync, readFileSync } from 'node:fs'

/** The house rules that no other tool knows: one row each. Exits 1 and names file and line of what breaks one. */
type Rule = {
  readonly name: string
  readonly files: string
  readonly except?: RegExp
  /** The lines that break the rule. */
  readonly breaks: (lines: readonly string[], file: string) => readonly number[]
}

const sourceLinesMax = 300
const tests = /\.test\.ts$/

const rules: readonly Rule[] = [
  {
    name: `a source file has at most ${sourceLinesMax} lines`,
    files: 'src/**/*.ts',
    except: tests,
    breaks: (lines) => (lines.length > sourceLinesMax + 1 ? [sourceLinesMax + 1] : []),
  },
  {
    name: 'no cast through unknown',
    files: '{src,test,bench,scripts}/**/*.ts',
    breaks: matching(/\bas unknown as\b/, 'as unknown'),
  },
  {
    name: 'default exports are for operations only',
    files: 'src/**/*.ts',
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
    name: 'an operation has its test beside it',
    files: 'src/operations/*/*.ts',
    except: tests,
    breaks: (_lines, file) => (globSync(file.replace(/\.ts$/, '.test.ts')).length === 1 ? [] : [1]),
  },
  {
    name: 'a TODO names its issue',
    files: '{src,test,bench,scripts}/**/*.ts',
    breaks: matching(/\bTODO\b(?!\(#\d+\))/, 'TODO'),
  },
  {
    name: 'only the command line prints',
    files: 'src/{operations,policy,protocol,service,vault}/**/*.ts',
    except: tests,
    breaks: matching(/\bconsole\.|process\.stdout/),
  },
  {
    name: 'no test is committed as the only one',
    files: '{src,test}/**/*.test.ts',
    breaks: matching(/\b(test|describe|it)\.only\(/),
  },
  {
    name: 'a test that a document names exists in the file to which it links',
    files: '*.md',
    breaks: (lines) =>
      lines.flatMap((line, index) => {
        const named = [...line.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g)]
        const missing = named.filter(([, name = '', file = '']) => name !== 'test' && !testFileHas(file, name))
        return missing.length === 0 ? [] : [index + 1]
      }),
  },
  {
    name: 'no path of somebody’s machine',
    files: '{src,test,bench,scripts,docs}/**/*',
    except: /\.(png|db)$/,
    breaks: matching(/(^|[^a-zA-Z0-9_.])\/(home|Users|root|work)\/[a-z]/),
  },
]

let broken = 0
for (const { name, files, except, breaks } of rules) {
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

function testFileHas(file: string, name: string): boolean {
  return globSync(file).length === 1 && readFileSync(file, 'utf8').includes(name)
}

function matching(pattern: RegExp, quick?: string): Rule['breaks'] {
  return (lines) =>
    lines.flatMap((line, index) =>
      (quick === undefined || line.includes(quick)) && pattern.test(line) ? [index + 1] : [],
    )
}
