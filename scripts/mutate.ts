import { fork } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import type { News, Reach, Trial, Work } from './mutate_worker.ts'

/**
 * `npm run mutate [-- <file or folder of src/policy> …]`: changes the code in thousands of small ways, one at a time, and
 * says which changes no test of `src/policy` notices, or none of the test files that are among the arguments.
 * docs/mutation.md says how to read it. Exits 1 below the score that is asked for.
 */
const scoreMin = 90
const processesMax = 2
const batchMax = 100
/** A slower test runs only for what no quicker one of its file reaches. */
const slowMs = 2_000
/** For one mutant, after the process has loaded; endless loops mostly end by their count of hits long before. */
const trialMs = 30_000
/** For all tests of a file, without a mutant. */
const reachMs = 600_000

const startMs = performance.now()
const given = process.argv.slice(2)
const sources = filesOf(given.filter((path) => !isTest(path))).filter((file) => !isTest(file))
const testFiles = filesOf(given.filter(isTest)).filter(isTest)

const mutatedFolder = mkdtempSync(join(tmpdir(), 'claviger-mutants-'))
process.on('exit', () => rmSync(mutatedFolder, { recursive: true, force: true }))

type Mutant = Awaited<ReturnType<typeof plantMutants>>[number]
const mutants = await plantMutants()
process.stdout.write(`${mutants.length} mutants in ${sources.length} files\n`)

const killed = new Set<string>()
const reaches = (await inParallel(testFiles, reachOf)).toSorted((one, other) => one.ms - other.ms)
tell('test files pass')
// Whoever has no time for the rest sees what is known: what is not tried yet counts as not noticed.
process.once('SIGINT', () => process.exit(report()))

/** In code that runs while modules load, or that spoils what others need: everything is loaded anew for each. */
const apart = new Set(mutants.map(({ id }) => id).filter((id) => reaches.some(({ loading }) => id in loading)))
for (const reach of reaches) {
  await tryAll(
    reach.testFile,
    [...reach.trials.values()].filter(({ mutantId }) => !apart.has(mutantId)),
  )
}
tell('what runs while modules load')
/** By sources: whether some test runs code of it. Else it is a table, and any test may depend on it. */
const isRun = new Set(mutants.filter(({ id }) => reaches.some(({ trials }) => trials.has(id))).map(({ file }) => file))
for (const { testFile, loading, trials, tests } of reaches) {
  const runHere = new Set(mutants.filter(({ id }) => trials.has(id)).map(({ file }) => file))
  const open = mutants.filter(({ id, file }) => apart.has(id) && (runHere.has(file) || !isRun.has(file)))
  await tryAll(
    testFile,
    open.flatMap(({ id }) => {
      const trial = trials.get(id)
      if (!(id in loading)) return trial ?? []
      return { mutantId: id, tests, hits: (loading[id] ?? 0) + (trial?.hits ?? 0) }
    }),
    { isLoadedAnew: true },
  )
}
process.exitCode = report()

async function tryAll(testFile: string, trials: readonly Trial[], how: Pick<Work, 'isLoadedAnew'> = {}) {
  const open = trials.filter(({ mutantId }) => !killed.has(mutantId))
  if (open.length === 0) return
  await inParallel(batchesOf(open), (batch) => tryBatch({ testFile, mutatedFolder, mutants: batch, ...how }))
  tell(`${testFile}, for ${open.length}`)
}

function tell(what: string): void {
  process.stderr.write(`${Math.round((performance.now() - startMs) / 1000)} s, ${killed.size} killed: ${what}\n`)
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** In files and folders; all when there are none. */
function filesOf(paths: readonly string[]): readonly string[] {
  const all = paths.length === 0 ? ['src/policy'] : paths
  return all.flatMap((path) => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.ts`))).toSorted()
}

/** Writes the sources with all mutants in them, each behind a switch. */
async function plantMutants() {
  const quiet = () => undefined
  const no = () => false
  const logger = {
    ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no },
    ...{ isWarnEnabled: no, isErrorEnabled: no, isFatalEnabled: no },
    ...{ trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet },
  }
  const files = sources.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }))
  const planted = await new Instrumenter(logger).instrument(files, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  })
  for (const { name, content } of planted.files) {
    const path = join(mutatedFolder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  return planted.mutants.map(({ id, fileName, mutatorName, replacement, location: { start, end } }) => {
    const lines = readFileSync(fileName, 'utf8')
      .split('\n')
      .slice(start.line, end.line + 1)
    const one = lines.length === 1 ? lines[0]?.slice(start.column, end.column) : lines[0]?.slice(start.column)
    return { id, file: relative('.', fileName), line: start.line + 1, mutatorName, original: one ?? '', replacement }
  })
}

/** What the tests of a file reach, and how long they take. */
async function reachOf(testFile: string) {
  let reach: Reach | undefined
  await work({ testFile, mutatedFolder }, (news) => {
    if (news.kind === 'reached') reach = news
  })
  if (reach === undefined) throw new Error(`${testFile} does not run`)
  const inOrder = reach.tests.toSorted((one, other) => one.ms - other.ms)
  const trials = new Map<string, Trial>()
  for (const { id, reached, ms } of inOrder) {
    for (const [mutantId, count] of Object.entries(reached)) {
      const { tests = [], hits = 0 } = trials.get(mutantId) ?? {}
      if (tests.length === 0 || ms < slowMs)
        trials.set(mutantId, { mutantId, tests: [...tests, id], hits: hits + count })
    }
  }
  const ms = inOrder.reduce((sum, each) => sum + each.ms, 0)
  const quick = inOrder.filter((each) => each.ms < slowMs)
  return { testFile, loading: reach.loading, trials, tests: quick.map(({ id }) => id), ms }
}

async function tryBatch(batch: Work & { readonly mutants: readonly Trial[] }): Promise<void> {
  const tried = new Map<string, boolean>()
  let isSound = true
  await work(batch, (news) => {
    if (news.kind === 'tried') tried.set(news.mutantId, news.isKilled)
    if (news.kind === 'end') isSound = news.isSound
  })
  if (!isSound) {
    for (const { mutantId } of batch.mutants) apart.add(mutantId)
    return
  }
  for (const [mutantId, isKilled] of tried) if (isKilled) killed.add(mutantId)
  // One of which nothing is heard hangs, or ends the process: that is noticed.
  const [stuck, ...rest] = batch.mutants.filter(({ mutantId }) => !tried.has(mutantId))
  if (stuck !== undefined) killed.add(stuck.mutantId)
  if (rest.length > 0) await tryBatch({ ...batch, mutants: rest })
}

/** Ends with the process, which is ended itself when for one mutant nothing was heard in time. */
async function work(work: Work, hear: (news: News) => void): Promise<void> {
  const child = fork(new URL('mutate_worker.ts', import.meta.url), {
    // Few generated cases each: a mutant that only one in a thousand meets is not well tested.
    env: { CLAVIGER_CASES: '40', CLAVIGER_GENERATED_RUNS: '10', ...process.env },
    stdio: ['ignore', 'ignore', work.mutants === undefined ? 'inherit' : 'ignore', 'ipc'],
  })
  let alarm = setTimeout(() => child.kill('SIGKILL'), work.mutants === undefined ? reachMs : 2 * trialMs)
  child.on('message', (news: News) => {
    clearTimeout(alarm)
    alarm = setTimeout(() => child.kill('SIGKILL'), trialMs)
    hear(news)
    if (news.kind !== 'tried') child.kill()
  })
  child.send(work)
  await once(child, 'exit')
  clearTimeout(alarm)
}

async function inParallel<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = [...items.entries()]
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results[next[0]] = await each(next[1])
  }
  await Promise.all(Array.from({ length: processesMax }, lane))
  return results
}

/** Mixed, so that all batches take about as long. */
function batchesOf(trials: readonly Trial[]): readonly (readonly Trial[])[] {
  const count = Math.max(Math.min(processesMax, trials.length), Math.ceil(trials.length / batchMax))
  return Array.from({ length: count }, (_, batch) => trials.filter((_trial, index) => index % count === batch))
}

/** Gives the exit code. */
function report(): number {
  for (const { id, file, line, mutatorName, original, replacement } of mutants) {
    if (killed.has(id)) continue
    const isReached = reaches.some(({ loading, trials }) => id in loading || trials.has(id))
    const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 100)
    const found = `${file}:${line} ${mutatorName}${isReached ? '' : ', reached by no test'}`
    process.stdout.write(`${found}: ${short(original)} → ${short(replacement ?? '')}\n`)
  }
  const groups = Object.entries(Object.groupBy(mutants, ({ file }) => file)).concat(
    Object.entries(Object.groupBy(mutants, ({ file }) => `${dirname(file)}/`)),
    [['all', mutants]],
  )
  for (const [name, members = []] of groups) process.stdout.write(`${scoreOf(members).text}  ${name}\n`)
  tell('end')
  return scoreOf(mutants).percent < scoreMin ? 1 : 0
}

function scoreOf(members: readonly Mutant[]): { readonly percent: number; readonly text: string } {
  const kills = members.filter(({ id }) => killed.has(id)).length
  const percent = members.length === 0 ? 100 : (100 * kills) / members.length
  return { percent, text: `${percent.toFixed(1).padStart(5)} % ${`${kills}/${members.length}`.padStart(10)}` }
}
