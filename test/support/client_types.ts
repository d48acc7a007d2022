import { join } from 'node:path'
import ts from 'typescript'

/**
 * The types of the newest client package, as the TypeScript compiler reads them. They belong to the dialect `hosted`.
 */

const typesFile = join(
  import.meta.dirname,
  '../../node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts',
)
const generatedFile = join(import.meta.dirname, 'generated_answers.ts')

/** What was asked at a path, and the answer that came. */
export type Exchange = { readonly path: string; readonly answer: unknown }

/** A field of a request, such as `parameters.accounts[].curve`. */
export type RequestField = { readonly name: string; readonly isOptional: boolean }

/**
 * Returns for each path the fields that the client may send there, and where the answer is not of the client's type: a
 * member is missing, strange, or of another type. A path that the client does not know is undefined.
 */
export function compareWithClient(exchanges: readonly Exchange[]): (path: string) => Comparison | undefined {
  const lines = exchanges.map(({ path, answer }, index) => {
    const operation = `paths[${JSON.stringify(path)}]['post']`
    return (
      `export const answer${index}: ${operation}['responses'][200]['schema'] = ${JSON.stringify(answer)}\n` +
      `export type Body${index} = ${operation}['parameters']['body']['body']`
    )
  })
  const text = [`import type { paths } from ${JSON.stringify(typesFile)}`, ...lines].join('\n')
  const { program, source } = compile(text)
  const faults = Map.groupBy(program.getSemanticDiagnostics(source), ({ start = 0 }) => lineOf(source, start))
  const checker = program.getTypeChecker()
  const bodies = new Map(
    source.statements.flatMap((statement) =>
      ts.isTypeAliasDeclaration(statement) ? [[statement.name.text, statement] as const] : [],
    ),
  )
  return (path) => {
    const index = exchanges.findIndex((exchange) => exchange.path === path)
    const body = bodies.get(`Body${index}`)
    if (body === undefined) return undefined
    const type = checker.getTypeAtLocation(body)
    if ((type.flags & ts.TypeFlags.Any) !== 0) return undefined
    const texts = (faults.get(1 + 2 * index) ?? []).map(({ messageText }) => innermost(messageText))
    return { faults: texts, fields: fieldsOf(checker, type, '') }
  }
}

/**
 * Returns where results of activities are not of the client's type, each under the key of `activity.result`. The package
 * has types of results also for activities that it cannot send.
 */
export function compareResultsWithClient(results: Readonly<Record<string, unknown>>): readonly string[] {
  const text = [
    `import type { definitions } from ${JSON.stringify(typesFile)}`,
    `type Known<R> = { [K in keyof R]: K extends keyof definitions['v1Result'] ? definitions['v1Result'][K] : unknown }`,
    `const results = ${JSON.stringify(results)}`,
    'export const known: Known<typeof results> = results',
  ].join('\n')
  const { program, source } = compile(text)
  return program.getSemanticDiagnostics(source).map(({ messageText }) => innermost(messageText))
}

export type Comparison = { readonly faults: readonly string[]; readonly fields: readonly RequestField[] }

function compile(text: string) {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const readSource = host.getSourceFile.bind(host)
  const fileExists = host.fileExists.bind(host)
  const source = ts.createSourceFile(generatedFile, text, ts.ScriptTarget.ESNext)
  host.getSourceFile = (name, ...others) => (name === generatedFile ? source : readSource(name, ...others))
  host.fileExists = (name) => name === generatedFile || fileExists(name)
  return { program: ts.createProgram([generatedFile], options, host), source }
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line
}

/** The last sentence of a chain of them, which names the member. */
function innermost(message: string | ts.DiagnosticMessageChain): string {
  if (typeof message === 'string') return message
  const [next] = message.next ?? []
  return next === undefined ? message.messageText : innermost(next)
}

function fieldsOf(checker: ts.TypeChecker, type: ts.Type, at: string): readonly RequestField[] {
  const own = checker.getNonNullableType(type)
  const item = checker.isArrayType(own) ? checker.getIndexTypeOfType(own, ts.IndexKind.Number) : undefined
  if (item !== undefined) return fieldsOf(checker, item, `${at}[]`)
  if ((own.flags & ts.TypeFlags.Object) === 0) return []
  return own.getProperties().flatMap((property) => {
    const name = at === '' ? property.name : `${at}.${property.name}`
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
    return [{ name, isOptional }, ...fieldsOf(checker, checker.getTypeOfSymbol(property), name)]
  })
}
