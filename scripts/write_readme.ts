import { readFileSync, writeFileSync } from 'node:fs'
import { operations } from '../src/operations/catalogue.ts'
import { settingRows } from '../src/service/settings/setting_rows.ts'

/**
 * Fills the README's tables of operations and settings from the code. With `--check` it writes nothing and exits 1 when
 * they are stale.
 */
const path = 'README.md'
const catalogue = readFileSync('src/operations/catalogue.ts', 'utf8')

const operationRows = operations.map(({ name, summary }) => {
  const file = `src/operations/${new RegExp(`'\\./([a-z0-9_]+/${name}\\.ts)'`).exec(catalogue)?.[1]}`
  return `| [${name}](${file}) | ${summary} | [test](${file.replace(/\.ts$/, '.test.ts')}) |`
})
const settings = settingRows.map(({ flag, variable, description, default: fallback }) => {
  return `| \`${variable}\`: ${description} | \`--${flag}\` | ${fallback === undefined ? '' : `\`${fallback}\``} |`
})

const before = readFileSync(path, 'utf8')
const withOperations = filled(before, 'operations', ['| Operation | | |', '|---|---|---|', ...operationRows])
const after = filled(withOperations, 'settings', ['| Setting | Flag | Default |', '|---|---|---|', ...settings])

if (process.argv.includes('--check')) {
  if (after !== before) {
    process.stderr.write('the tables of README.md are stale: run `npm run generate`\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(path, after)
}

/** Replaces the lines after the marker, up to the first empty line. */
function filled(text: string, name: string, rows: readonly string[]): string {
  const marker = `<!-- ${name} -->\n`
  const start = text.indexOf(marker) + marker.length
  const end = text.indexOf('\n\n', start - 1)
  return text.slice(0, start) + rows.join('\n') + text.slice(end)
}
