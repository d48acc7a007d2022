import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { resourceTitles } from '../src/service/http/resource_titles.ts'
import { writeGenerated } from './generated_files.ts'

/**
 * Writes `src/operations/catalogue.ts`: one import for each operation file, and which folder has which. With `--check` it
 * writes nothing and exits 1 when the file is stale.
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

const named = files.map((file) => {
  const [folder = '', operation = ''] = file.replace(/\.ts$/, '').split('/')
  return { file, folder, name: camelCase(operation) }
})
const folders = Map.groupBy(named, ({ folder }) => folder)
requireTitles()

const text = `// Written by \`npm run generate\`: one line for each operation file. Do not edit.
import type { AcceptedType, ActivityOperation, Operation } from '../contract/define.ts'
${named.map(({ file, name }) => `import ${name} from './${file}'`).join('\n')}

type Resource = { readonly name: string; readonly operations: readonly Operation[] }
type TypedOperation = { readonly operation: ActivityOperation; readonly accepted: AcceptedType }

/** The folders here, each with its operations. */
export const resources: readonly Resource[] = [
${[...folders].map(([folder, its]) => `  { name: '${folder}', operations: [${its.map(({ name }) => name).join(', ')}] },`).join('\n')}
]

export const operations: readonly Operation[] = resources.flatMap((resource) => resource.operations)

const byPath: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.path, operation]))

const byType: ReadonlyMap<string, TypedOperation> = new Map(
  operations.flatMap((operation) =>
    operation.kind === 'activity' ? operation.types.map((accepted) => [accepted.type, { operation, accepted }] as const) : [],
  ),
)

export function findOperation(path: string): Operation | undefined {
  return byPath.get(path)
}

/** An activity's operation, with the keys and parameters that this type of it has. */
export function operationOfType(type: string): TypedOperation | undefined {
  return byType.get(type)
}
`

writeGenerated('src/operations/catalogue.ts', text)

/** The documents list operations below these titles. Checked here, before any script of `npm run generate` has written. */
function requireTitles(): void {
  const titles = 'src/service/http/resource_titles.ts'
  const titled = new Set(Object.keys(resourceTitles))
  const untitled = [...folders.keys()].filter((folder) => !titled.has(folder))
  const gone = [...titled].filter((folder) => !folders.has(folder))
  const faults = [
    ...untitled.map((folder) => `src/operations/${folder} has no title: add one to ${titles}`),
    ...gone.map((folder) => `${titles} has a title of src/operations/${folder}, where no operation is: remove it`),
  ]
  if (faults.length === 0) return
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}

function camelCase(snakeCase: string): string {
  return snakeCase.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
