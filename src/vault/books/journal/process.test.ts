import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { needsDebian } from '../../../../test/support/debian.ts'
import { openTestJournal, readEntries, segmentName } from '../../../../test/support/journals.ts'
import { soon } from '../../../../test/support/soon.ts'

const segmentBytes = 65_536

test('entries that a process acknowledged before it was killed are found, without others among them', async () => {
  for (let round = 0; round < 5; round++) {
    const directory = await newJournal()
    const { child, said, send } = await startProcess(directory)
    let sent = 0
    const sending = setInterval(() => {
      for (let count = 0; count < 20; count++) send(`<${sent++}>`)
    }, 1)
    while (said.length < 10 * (round + 2)) await setTimeout(1)
    child.kill('SIGKILL')
    clearInterval(sending)
    await once(child, 'close')
    const acknowledged = said.filter((line) => line.startsWith('written')).length
    const found = (await readEntries({ directory, segmentBytes })).join('')
    expect(acknowledged).toBeGreaterThan(10)
    expect(found.split('><').length).toBeGreaterThanOrEqual(acknowledged)
    expect(found).toBe(Array.from({ length: found.split('><').length }, (_, index) => `<${index}>`).join(''))
  }
})

test('entries that a process entered before it was killed are found', async () => {
  for (let round = 0; round < 5; round++) {
    const directory = await newJournal()
    const { child, said, send } = await startProcess(directory, round)
    send('enter')
    while (said.length < 100 * (round + 2)) await setTimeout(1)
    child.kill('SIGKILL')
    await once(child, 'close')
    const found = new Set((await readEntries({ directory, segmentBytes })).join('').match(/\+\d+;/g))
    expect(enteredBy(said).filter((entry) => !found.has(entry))).toEqual([])
  }
})

test('entries that a process entered while another one took its journal over are found', async () => {
  for (let round = 0; round < 5; round++) {
    const directory = await newJournal()
    const { child, said, send } = await startProcess(directory, round)
    send('enter')
    while (said.length < 100 * (round + 1)) await setTimeout(round)
    const { journal, found } = await openTestJournal({ directory, segmentBytes })
    while (!said.includes('superseded') || !said.includes('refused')) await setTimeout(1)
    const all = new Set(found.join('').match(/\+\d+;/g))
    expect(enteredBy(said).filter((entry) => !all.has(entry))).toEqual([])
    child.kill('SIGKILL')
    await once(child, 'close')
    await journal.close()
  }
})

test('entries wait for their sync if the system refuses the write before it', async (context) => {
  const prlimit = needsDebian('util-linux', context, 'prlimit')
  const directory = await newJournal()
  const { child, said, send } = await startProcess(directory, 600_000)
  async function answerTo(line: string): Promise<string> {
    const before = said.length
    send(line)
    while (said.length === before) await setTimeout(1)
    return said.at(-1) ?? ''
  }

  const isPrepared = () => statSync(join(directory, '0000000000000002.1.temporary')).size === segmentBytes
  await soon(() => expect(isPrepared()).toBe(true))
  const lines = ['+1', '+2', '+3', '+4', '+5']
  for (const line of lines) expect(await answerTo(line)).toBe(`written ${line}`)
  // Each of the entries has a frame in the unsynced file, and in the segment they share one that is shorter.
  expect(spawnSync(prlimit, ['--pid', String(child.pid), '--fsize=350:']).status).toBe(0)
  for (const line of ['+6', '+7', '+8']) expect(await answerTo(line)).toBe(`written ${line}`)
  expect(await answerTo('')).toBe('written')
  const segment = readFileSync(join(directory, segmentName(2))).toString('latin1')
  expect(segment).toContain('+1+2+3+4+5+6')
  child.kill('SIGKILL')
  await once(child, 'close')
  const found = (await readEntries({ directory, segmentBytes })).join('')
  for (const line of [...lines, '+6', '+7', '+8']) expect(found).toContain(line)
})

test('a process whose writes the system refuses recovers by itself, and loses no entry', async (context) => {
  const prlimit = needsDebian('util-linux', context, 'prlimit')
  const directory = await newJournal()
  const { child, said, send } = await startProcess(directory)
  const limit = (bytes: string) => spawnSync(prlimit, ['--pid', String(child.pid), `--fsize=${bytes}:`])

  async function answerTo(line: string): Promise<string> {
    const before = said.length
    send(line)
    while (said.length === before) await setTimeout(1)
    return said.at(-1) ?? ''
  }

  expect(await answerTo('<first>')).toBe('written <first>')
  // The limit cuts the next frame in two: its first part is written, the rest is refused.
  expect(limit('200').status).toBe(0)
  const long = `<${'x'.repeat(500)}>`
  expect(await answerTo(long)).toBe(`refused ${long}`)
  expect(await answerTo('<second>')).toBe('refused <second>')
  expect(await answerTo('')).toBe('refused')
  limit('unlimited')
  while ((await answerTo('')) === 'refused') await setTimeout(20)
  expect(await answerTo('<third>')).toBe('written <third>')
  // The content of a file is unknown after a failed write, so nothing more was written into it.
  expect(readdirSync(directory)).toContain(segmentName(3))
  child.stdin.end()
  await once(child, 'close')
  expect((await readEntries({ directory, segmentBytes })).join('')).toBe(`<first>${long}<second><third>`)
})

async function newJournal(): Promise<string> {
  const { journal, directory } = await openTestJournal({ segmentBytes })
  await journal.close()
  return directory
}

/** The entries of a process whose output this is. The line at the end may be cut. */
function enteredBy(said: readonly string[]): readonly string[] {
  return said.flatMap((line) => /^written (\+\d+;)$/.exec(line)?.[1] ?? [])
}

async function startProcess(directory: string, syncWithinMs = 200) {
  const entry = new URL('../../../../test/support/journal_process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [entry, directory, String(segmentBytes), String(syncWithinMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said: string[] = []
  child.stdin.on('error', () => {}) // The process was killed while the test wrote to it.
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => said.push(line))
  await once(lines, 'line')
  return { child, said, send: (line: string) => child.stdin.write(`${line}\n`) }
}
