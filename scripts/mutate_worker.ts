import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import type { Test } from './mutate_test_api.ts'

/**
 * One process of `scripts/mutate.ts`: loads one test file over the sources with mutants in them, finds out which test
 * reaches which mutant, or runs for each mutant that it is given the tests that reach it, until one fails.
 */
export type Work = {
  readonly testFile: string
  /** Where the sources with mutants are, by the same paths as in the project. */
  readonly mutatedFolder: string
  /** Left out: find out what the tests reach. */
  readonly mutants?: readonly Trial[]
  /** Load everything of the project anew for each mutant: it is in code that runs while modules load. */
  readonly isLoadedAnew?: boolean
}

/** `tests`: those that reach it, the quickest first. `hits`: how often they do without a mutant. */
export type Trial = { readonly mutantId: string; readonly tests: readonly string[]; readonly hits: number }

export type Reached = { readonly [mutantId: string]: number }

/** What is reached while the test file loads, and by each of its tests. */
export type Reach = { readonly loading: Reached; readonly tests: readonly ReachingTest[] }

export type News =
  | ({ readonly kind: 'reached' } & Reach)
  | { readonly kind: 'tried'; readonly mutantId: string; readonly isKilled: boolean }
  /** All mutants are tried. `isSound`: the tests pass still, so no mutant left something behind that failed another. */
  | { readonly kind: 'end'; readonly isSound: boolean }

/** `ms`: of the processor. */
export type ReachingTest = { readonly id: string; readonly ms: number; readonly reached: Reached }

/** What the instrumented code looks for. */
type Switchboard = {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
  hitCount?: number | undefined
  hitLimit?: number | undefined
}
declare global {
  var __stryker__: Switchboard
}

/** A mutant that is met so much more often than the code that it replaces is in an endless loop. */
const hitsMax = (hits: number) => 10_000 + 10 * hits

process.on('message', (work: Work) => void run(work))

async function run({ testFile, mutatedFolder, mutants, isLoadedAnew = false }: Work): Promise<void> {
  // The same cases each time, and no time for smaller ones.
  fc.configureGlobal({ seed: 1, endOnFailure: true })
  globalThis.__stryker__ = {}
  const switchboard = globalThis.__stryker__
  const { loadAnew } = useMutated(mutatedFolder)
  const { collected } = await import('./mutate_test_api.ts')
  const load = async (): Promise<ReadonlyMap<string, Test>> => {
    collected.length = 0
    await import(loadAnew(pathToFileURL(testFile).href))
    return new Map(collected.map((each) => [each.id, each]))
  }

  const tests = await load()
  if (mutants === undefined) return report({ kind: 'reached', ...(await reachOf(tests, switchboard)) })
  for (const { mutantId, tests: reaching, hits } of mutants) {
    Object.assign(switchboard, { activeMutant: mutantId, hitCount: 0, hitLimit: hitsMax(hits) })
    const isKilled = await isAnyFailing(async () => {
      const loaded = isLoadedAnew ? await load() : tests
      return reaching.flatMap((id) => loaded.get(id) ?? [])
    })
    report({ kind: 'tried', mutantId, isKilled })
    await nextTurn()
  }
  switchboard.activeMutant = undefined
  report({ kind: 'end', isSound: isLoadedAnew || !(await isAnyFailing(async () => [...tests.values()])) })
}

async function reachOf(tests: ReadonlyMap<string, Test>, switchboard: Switchboard): Promise<Reach> {
  const loading = { ...switchboard.mutantCoverage?.static }
  const reaching: ReachingTest[] = []
  for (const { id, name, run } of tests.values()) {
    switchboard.currentTestId = id
    const before = process.cpuUsage()
    try {
      await run()
    } catch (cause) {
      throw new Error(`without a mutant fails ${name}`, { cause })
    }
    const { user, system } = process.cpuUsage(before)
    reaching.push({ id, ms: (user + system) / 1000, reached: switchboard.mutantCoverage?.perTest[id] ?? {} })
  }
  return { loading, tests: reaching }
}

/** So do tests that do not even load. */
async function isAnyFailing(load: () => Promise<readonly Test[]>): Promise<boolean> {
  try {
    for (const { run } of await load()) await run()
    return false
  } catch {
    return true
  }
}

function report(news: News): void {
  process.send?.(news)
}

/**
 * Sources come from the folder where they are there, and `vitest` is what collects tests. What is loaded by an address
 * from `loadAnew` is loaded once more, with everything of the project that it imports; packages stay.
 */
function useMutated(folder: string): { readonly loadAnew: (url: string) => string } {
  const root = pathToFileURL(`${process.cwd()}/`).href
  const testApi = new URL('./mutate_test_api.ts', import.meta.url).href
  let loads = 0
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === 'vitest') return { url: testApi, shortCircuit: true }
      const resolved = next(specifier, context)
      const isOfLoad = context.parentURL?.includes('?load=') && resolved.url.startsWith(root)
      return isOfLoad && !resolved.url.includes('/node_modules/')
        ? { ...resolved, url: `${resolved.url}?load=${loads}` }
        : resolved
    },
    load: (url, context, next) => {
      const path = url.replace(/\?load=\d+$/, '')
      const mutated = path.startsWith(root) ? join(folder, path.slice(root.length)) : ''
      if (!mutated.endsWith('.ts') || !existsSync(mutated)) return next(url, context)
      return { format: 'module-typescript', source: readFileSync(mutated, 'utf8'), shortCircuit: true }
    },
  })
  return {
    loadAnew: (url) => {
      loads += 1
      return `${url}?load=${loads}`
    },
  }
}
