import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterPowerLoss,
  copyOfFolder,
  enterEach,
  type Files,
  filesIn,
  folderOf,
  openTestJournal,
  readEntries,
  segmentName,
  smallSegmentBytes,
  writeEntries,
} from '../../../../test/support/journals.ts'
import { soon } from '../../../../test/support/soon.ts'
import { JournalError, type JournalOptions } from './journal.ts'
import { removeSuperfluous } from './snapshots.ts'

test('a journal that is compacted many times stays small and keeps its entries', async () => {
  const { options, state } = numbersIn()
  const { journal, directory } = await openTestJournal(options)
  for (let number = 0; number < 500; number++) {
    state.add(number % 20)
    await writeEntries(journal, `${number % 20};`.padEnd(100))
  }
  await soon(() => expect(readdirSync(directory).length).toBeLessThan(12))
  await journal.close()
  expect(await numbersFound(directory)).toEqual([...state])
})

test('two processes that remove the same files after a compaction do not disturb each other', async () => {
  const folder = folderOf(new Map([1, 2, 3, 4, 5].map((number) => [segmentName(number), Buffer.alloc(1)])))
  await Promise.all([removeSuperfluous(folder, 4), removeSuperfluous(folder, 4), removeSuperfluous(folder, 4)])
  expect(readdirSync(folder)).toEqual([segmentName(5)])
})

test('a crash at any point of a compaction leaves a journal that reads the same', async () => {
  const { options, state } = numbersIn()
  const states: Files[] = []
  let isAsked = false
  const opened = await openTestJournal({
    ...options,
    snapshot() {
      isAsked = true // Set before the first step. From here on nothing more is appended.
      return copyAtEachStep()
    },
  })
  const { journal, directory } = opened

  /** Copies of the folder before each step of the snapshot, and after the last step. */
  function* copyAtEachStep() {
    states.push(filesIn(copyOfFolder(directory)))
    for (const payload of options.snapshot()) {
      yield payload
      states.push(filesIn(copyOfFolder(directory)))
    }
  }

  for (let number = 0; !isAsked; number++) {
    state.add(number)
    await (number % 2 === 0 ? writeEntries : enterEach)(journal, `${number};`.padEnd(100))
  }
  await soon(() => expect(readdirSync(directory)).not.toContain(segmentName(1)))
  // snapshot, segment, the next one, two unsynced files
  await soon(() => expect(readdirSync(directory).length).toBe(5))
  const after = filesIn(copyOfFolder(directory))
  await journal.close()

  const before = states.at(-1) ?? new Map()
  const snapshots = [...after.keys()].filter((name) => name.endsWith('.snapshot'))
  expect(snapshots.length).toBe(1)
  const snapshot = snapshots.join()
  const bytes = after.get(snapshot) ?? Buffer.alloc(0)
  // The temporary file may be written up to any byte.
  for (let length = 0; length <= bytes.length; length += 16) {
    states.push(new Map([...before, ['0000000000000001.99.temporary', bytes.subarray(0, length)]]))
  }
  // The snapshot is there, and any number of the first segments is removed.
  const removed = [...before.keys()].filter((name) => name.endsWith('.segment') && !after.has(name)).sort()
  expect(removed.length).toBeGreaterThan(3)
  for (let count = 0; count <= removed.length; count++) {
    const left = new Map([...before, [snapshot, bytes]])
    for (const name of removed.slice(0, count)) left.delete(name)
    states.push(left)
  }
  states.push(after)
  for (const files of states) {
    const folder = folderOf(files)
    for (let start = 0; start < 2; start++) expect(new Set(await numbersFound(folder))).toEqual(state)
    expect(readdirSync(folder).join()).not.toMatch(/temporary|unsynced|taken/)
  }
})

test('a damaged snapshot, or one without the segment after it, stops the start', async () => {
  const { options, state } = numbersIn()
  const { journal, directory } = await openTestJournal(options)
  for (let number = 0; number < 60; number++) {
    state.add(number)
    await writeEntries(journal, `${number};`.padEnd(100))
  }
  await soon(() => expect(readdirSync(directory).join()).toContain('.snapshot'))
  await journal.close()
  const files = filesIn(directory)
  const name = [...files.keys()].find((file) => file.endsWith('.snapshot')) ?? ''
  const bytes = files.get(name) ?? Buffer.alloc(0)
  const next = segmentName(Number(name.slice(0, 16)) + 1)
  for (let offset = 0; offset < bytes.length; offset++) {
    const changed = Buffer.from(bytes)
    changed[offset] = (changed[offset] ?? 0) ^ 1
    for (const broken of [changed, bytes.subarray(0, offset)]) {
      const opening = readEntries({ directory: folderOf(new Map([...files, [name, broken]])) })
      await expect(opening).rejects.toBeInstanceOf(JournalError)
    }
  }
  const longer = new Map([...files, [name, Buffer.concat([bytes, Buffer.of(0)])]])
  await expect(readEntries({ directory: folderOf(longer) })).rejects.toBeInstanceOf(JournalError)
  for (const missing of [[name], [next], [...files.keys()].filter((file) => file.endsWith('.segment'))]) {
    const left = new Map(files)
    for (const file of missing) left.delete(file)
    await expect(readEntries({ directory: folderOf(left) })).rejects.toThrow(/missing/)
  }
})

test('a snapshot that fails leaves the journal as it is, and the journal tries again', async () => {
  const { options, state } = numbersIn()
  let failures = 0
  const { journal, directory, warnings } = await openTestJournal({
    ...options,
    *snapshot() {
      yield Buffer.from('0;')
      failures += 1
      if (failures <= 2) throw new Error('the owner cannot')
      yield* options.snapshot()
    },
  })
  for (let number = 0; number < 100; number++) {
    state.add(number)
    await writeEntries(journal, `${number};`.padEnd(100))
  }
  await soon(() => expect(readdirSync(directory)).not.toContain(segmentName(1)))
  expect(warnings).toEqual(Array(2).fill('the journal could not be compacted and goes on growing'))
  await journal.close()
  expect(new Set(await numbersFound(directory))).toEqual(state)
})

test('a snapshot is not used before the entries that were appended meanwhile are on disk', async () => {
  let isAsked = false
  const opened = await openTestJournal({
    *snapshot() {
      isAsked = true
      opened.journal.append(Buffer.from('first')) // Nobody syncs it.
      yield Buffer.from('second')
    },
  })
  const { journal, directory } = opened
  while (!isAsked) await writeEntries(journal, 'x'.repeat(200))
  await soon(() => expect(readdirSync(directory).join()).toContain('.snapshot'))
  const found = await readEntries({ directory: copyOfFolder(directory) })
  expect(found[0]).toBe('second')
  expect(found.join()).toContain('first')
  await journal.close()
})

test('a close stops a compaction', async () => {
  let steps = 0
  const { journal, directory } = await openTestJournal({
    *snapshot() {
      for (; steps < 1_000_000; steps++) yield Buffer.from('x')
    },
  })
  for (let number = 0; steps === 0; number++) await writeEntries(journal, `${number};`.padEnd(200))
  await journal.close()
  expect(steps).toBeLessThan(1_000_000)
  expect(readdirSync(directory).filter((name) => !name.endsWith('.segment'))).toEqual([])
})

test('journals that were only ever opened are compacted too', async () => {
  const { directory, journal } = await openTestJournal()
  await journal.close()
  for (let start = 0; start < 30; start++) {
    const opened = await openTestJournal({ directory })
    await opened.journal.sync()
    await soon(() => expect(readdirSync(directory).length).toBeLessThan(11))
    await opened.journal.close()
  }
  expect(readdirSync(directory).length).toBeLessThan(9)
})

test('after any failure, a start finds all acknowledged entries and a prefix of the others', async () => {
  const step = fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({
        kind: fc.constantFrom('append' as const, 'enter' as const, 'enterAlone' as const),
        bytes: fc.integer({ min: 8, max: 300 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('sync' as const, 'wait' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'crash' as const, 'takeOver' as const) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('powerLoss' as const), seed: fc.nat() }) },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 150 }),
      fc.constantFrom(0, 3, 60_000),
      async (steps, syncWithinMs) => {
        const timing = { syncWithinMs }
        let { options, state } = numbersIn()
        let { journal, directory } = await openTestJournal({ ...options, ...timing })
        let next = 0
        /** The entries that this journal has, and those that it told to be on disk, or to outlive its process. */
        let made: number[] = []
        let synced = new Set<number>()
        let entered = new Set<number>()
        /** The entries that outlive the process only by their frame. */
        let appended = new Set<number>()
        let older: Files[] = []
        const open: { close(): Promise<void> }[] = []

        async function reopen(folder: string, expected: ReadonlySet<number>): Promise<void> {
          const before = new Set(expected)
          const found = numbersIn()
          const opened = await openTestJournal({
            ...found.options,
            ...timing,
            directory: folder,
            onPayload: (payload) => addNumbers(found.state, payload),
          })
          expect([...before].filter((number) => !found.state.has(number))).toEqual([])
          expect([...found.state].filter((number) => !made.includes(number))).toEqual([])
          const others = made.filter((number) => appended.has(number))
          const foundOthers = others.filter((number) => found.state.has(number))
          expect(foundOthers).toEqual(others.slice(0, foundOthers.length))
          made = [...found.state]
          synced = new Set(made)
          entered = new Set()
          appended = new Set(made)
          older = []
          open.push(journal)
          ;({ options, state } = found)
          ;({ journal, directory } = opened)
        }

        /** The set at the time when the folder is taken over: until then the former journal confirms. */
        function acknowledged(): Set<number> {
          return new Set([...synced, ...entered])
        }

        for (const action of steps) {
          if (action.kind === 'append' || action.kind === 'enter' || action.kind === 'enterAlone') {
            const number = next
            const payload = Buffer.from(`${number};`.padEnd(action.bytes))
            const mine = entered
            state.add(number)
            made.push(number)
            next += 1
            if (action.kind === 'append') {
              appended.add(number)
              journal.append(payload)
            } else {
              const entering = journal.enter(payload).then(
                () => mine.add(number),
                () => {},
              )
              if (action.kind === 'enterAlone') await entering
              older = [filesIn(copyOfFolder(directory)), ...older].slice(0, 2)
            }
          } else if (action.kind === 'sync') {
            await journal.sync()
            synced = new Set(made)
          } else if (action.kind === 'wait') {
            const before = [...made]
            const mine = synced
            const { promise, resolve } = Promise.withResolvers<void>()
            journal.sync().then(
              () => {
                for (const number of before) mine.add(number)
              },
              () => {},
            )
            setImmediate(resolve)
            await promise
          } else if (action.kind === 'restart') {
            await journal.close()
            await reopen(directory, new Set(made))
          } else if (action.kind === 'crash') {
            await reopen(copyOfFolder(directory), acknowledged())
          } else if (action.kind === 'powerLoss') {
            const files = afterPowerLoss(filesIn(copyOfFolder(directory)), older, action.seed)
            await reopen(folderOf(files), synced)
          } else {
            // While the folder is being taken over, the former journal may still confirm.
            const [itsSynced, itsEntered] = [synced, entered]
            await reopen(directory, acknowledged())
            for (const number of [...itsSynced, ...itsEntered]) expect(state).toContain(number)
          }
        }
        await journal.close()
        await reopen(directory, new Set(made))
        await journal.close()
        for (const one of open) await one.close().catch(() => {})
      },
    ),
    { numRuns: Number(process.env.CLAVIGER_CASES ?? 60), endOnFailure: true },
  )
})

test('no acknowledged entry is lost when processes start, fail to start, write and compact at once', async () => {
  for (let round = 0; round < 8; round++) {
    const { directory, journal } = await openTestJournal()
    await journal.close()
    const acknowledged: number[] = []

    async function writeUntilSuperseded(starter: number): Promise<void> {
      await setTimeout((starter * 7 + round * 3) % 40)
      const { options, state } = numbersIn()
      try {
        const opened = await openTestJournal({
          ...options,
          directory,
          onPayload(payload) {
            if (starter % 3 === 1) throw new Error('this one fails')
            addNumbers(state, payload)
          },
        })
        try {
          for (let index = 0; index < 150; index++) {
            const number = starter * 1_000 + index
            state.add(number)
            await (index % 3 === 0 ? writeEntries : enterEach)(opened.journal, `${number};`.padEnd(100))
            acknowledged.push(number)
          }
        } finally {
          await opened.journal.close()
        }
      } catch {
        // The journal was superseded, or it is one that fails.
      }
    }

    await Promise.all(Array.from({ length: 8 }, (_, starter) => writeUntilSuperseded(starter)))
    expect(await numbersFound(directory)).toEqual(expect.arrayContaining(acknowledged))
  }
})

/** Numbers that were appended as text. They go into sets, so reading a number twice is harmless. */
function numbersIn(): {
  readonly state: Set<number>
  readonly options: Pick<JournalOptions, 'snapshot' | 'segmentBytes'>
} {
  const state = new Set<number>()
  return {
    state,
    options: {
      segmentBytes: smallSegmentBytes,
      *snapshot() {
        for (let from = 0; from < state.size; from += 7) {
          yield Buffer.from(
            [...state]
              .slice(from, from + 7)
              .map((number) => `${number};`)
              .join(''),
          )
        }
      },
    },
  }
}

function addNumbers(state: Set<number>, payload: Uint8Array): void {
  for (const [digits] of Buffer.from(payload).toString('latin1').matchAll(/\d+/g)) state.add(Number(digits))
}

async function numbersFound(directory: string): Promise<readonly number[]> {
  const state = new Set<number>()
  await readEntries({ directory, onPayload: (payload) => addNumbers(state, payload) })
  return [...state]
}
