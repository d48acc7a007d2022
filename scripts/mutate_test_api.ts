import { pathToFileURL } from 'node:url'

/**
 * What a test file gets for `vitest` while mutants are tried: `describe` and `test` collect instead of running, so that
 * the tests of one loaded file can be run again for one mutant after the other. `expect` is vitest's own.
 */
const { expect } = await import(pathToFileURL(`${process.cwd()}/node_modules/vitest/dist/index.js`).href)

export { expect }

type Run = () => unknown
type Each = (table: readonly unknown[]) => (name: string, ...rest: readonly unknown[]) => void

export type Test = { readonly id: string; readonly name: string; readonly run: Run }
export const collected: Test[] = []

export const test = Object.assign(
  (name: string, ...rest: readonly unknown[]) => {
    collected.push({ id: `${collected.length}`, name, run: functionIn(rest) })
  },
  {
    each: ((table) =>
      (name, ...rest) =>
        forEachRow(table, rest, (run) => test(name, run))) satisfies Each,
  },
)

export const describe = Object.assign((_name: string, ...rest: readonly unknown[]) => void functionIn(rest)(), {
  each: ((table) =>
    (_name, ...rest) =>
      forEachRow(table, rest, (run) => void run())) satisfies Each,
})

/** Time limits are the parent's. */
export const vi = { setConfig: () => undefined }

/** After the name come options, which change nothing here, and the function. */
function functionIn(rest: readonly unknown[]): (...values: readonly unknown[]) => unknown {
  const found = rest.find((each) => typeof each === 'function')
  if (found === undefined) throw new Error('a test without a function')
  return (...values) => Reflect.apply(found, undefined, values)
}

function forEachRow(table: readonly unknown[], rest: readonly unknown[], use: (run: Run) => void): void {
  const run = functionIn(rest)
  for (const row of table) use(() => (Array.isArray(row) ? run(...row) : run(row)))
}
