import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { resourceTitles } from '../src/service/http/openapi/resource_titles.ts'
import { writeGenerated } from './generated_files.ts'

/**
 * Writes `src/operations/operation_files.ts`: one line for each operation file. With `--check` it writes nothing and exits
 * 1 when the file is stale.
 */
const operationsFolder = fileURLToPath(new URL('../src/operations/', import.meta.url))

const files = readdirSync(operationsFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap((folder) =>
    readdirSync(`${operationsFolder}${folder.name}`)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => `${folder.name}/${file}`),
  )
  .filter((file) => readFileSync(`${operationsFolder}${file}`, 'utf8').includes('export default define'))
  .sort()

const operations = files.map((file) => file.replace(/\.ts$/, ''))
const folders = new Set(operations.map((operation) => operation.replace(/\/.*/, '')))
requireTitles()

writeGenerated(
  'src/operations/operation_files.ts',
  `// Written by \`npm run generate\`: one line for each operation file. Do not edit.
${operations.map((operation) => `export { default as '${operation}' } from './${operation}.ts'`).join('\n')}
`,
)

/** The documents list operations below these titles. Checked here, before any script of `npm run generate` has written. */
function requireTitles(): void {
  const titles = 'src/service/http/openapi/resource_titles.ts'
  const titled = new Set(Object.keys(resourceTitles))
  const untitled = [...folders].filter((folder) => !titled.has(folder))
  const gone = [...titled].filter((folder) => !folders.has(folder))
  const faults = [
    ...untitled.map((folder) => `src/operations/${folder} has no title: add one to ${titles}`),
    ...gone.map((folder) => `${titles} has a title of src/operations/${folder}, where no operation is: remove it`),
  ]
  if (faults.length === 0) return
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}
