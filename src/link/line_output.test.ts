import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type UnreadPipe, unreadPipe } from '../../test/support/unread_pipe.ts'
import { LineOutput, waitingBytesMax } from './line_output.ts'

/** An output into a file that does not wait for its reader. */
function outputTo(path: string) {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(descriptor))
  return new LineOutput({ name: 'the output', descriptor, stream: () => process })
}

async function linesOf(pipe: UnreadPipe, isAll: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
  let text = ''
  for (;;) {
    text += pipe.read()
    const lines = text.split('\n')
    if (lines.at(-1) === '' && isAll(lines.slice(0, -1))) return lines.slice(0, -1)
    await sleep(5)
  }
}

const isLoss = (line: string) => line.includes('"lost"')
const lostIn = (lines: readonly string[]) =>
  lines.filter(isLoss).reduce((sum, line) => sum + Number(JSON.parse(line).lost), 0)

/** About a kilobyte, so that hundreds fill a pipe. */
const numbered = (number: number) => `${number} ${'x'.repeat(1_000)}`

test('lines that nobody reads yet wait, and arrive whole and in order', async () => {
  const pipe = unreadPipe()
  const output = outputTo(pipe.path)
  const lines = Array.from({ length: 500 }, (_, index) => numbered(index))
  for (const line of lines) output.write(`${line}\n`)
  expect(await linesOf(pipe, (read) => read.length === lines.length)).toEqual(lines)
})

test('what a terminal obeys or hides is escaped, and JSON stays the same JSON', async () => {
  const pipe = unreadPipe()
  const output = outputTo(pipe.path)
  const given = { error: 'a\u009b2Jb\u202ec\u00ad' }
  output.write(`${JSON.stringify(given)}\n`)
  const [line = ''] = await linesOf(pipe, (read) => read.length === 1)
  expect(line).toBe('{"error":"a\\u009b2Jb\\u202ec\\u00ad"}')
  expect(JSON.parse(line)).toEqual(given)
})

test('lines for which there is no room are lost, and a line says how many, before those that follow', async () => {
  const pipe = unreadPipe()
  const output = outputTo(pipe.path)
  const count = Math.ceil((3 * waitingBytesMax) / 1_000)
  for (let index = 0; index < count; index += 1) output.write(`${numbered(index)}\n`)
  const read = [...(await linesOf(pipe, (lines) => lines.some(isLoss)))]
  output.write('after\n')
  read.push(...(await linesOf(pipe, (lines) => lines.includes('after'))))

  const kept = read.length - 2
  expect(read.slice(0, kept)).toEqual(Array.from({ length: kept }, (_, index) => numbered(index)))
  expect(JSON.parse(read[kept] ?? '')).toEqual({
    level: 'warn',
    time: expect.any(String),
    lost: count - kept,
    message: 'lines were lost: they could not be written',
  })
  expect(read.at(-1)).toBe('after')
  expect(kept).toBeGreaterThan(waitingBytesMax / 1_024)
})

test('a reader that stands still again and again is told of each line once: by the line, or by a count', async () => {
  const pipe = unreadPipe()
  const output = outputTo(pipe.path)
  const read: string[] = []
  let written = 0
  for (let round = 0; round < 4; round += 1) {
    for (let index = 0; index < 2_000; index += 1) output.write(`${numbered(written++)}\n`)
    output.write(`end of ${round}\n`)
    written += 1
    const losses = round + 1
    const seen = () => read.filter(isLoss).length
    while (seen() < losses) read.push(...(await linesOf(pipe, (lines) => lines.length > 0)))
  }
  const lines = read.filter((line) => !isLoss(line))
  expect(lines.length + lostIn(read)).toBe(written)
})

test('a reader that is gone costs lines, and the next one is told how many', async () => {
  const pipe = unreadPipe()
  const output = outputTo(pipe.path)
  output.write('first\n')
  expect(pipe.read()).toBe('first\n')
  pipe.close()
  for (const line of ['a', 'b', 'c']) output.write(`${line}\n`)
  expect(output.fault()).toBe(undefined)
  const next = unreadPipe(pipe.path)
  output.write('last\n')
  const lines = await linesOf(next, (read) => read.includes('last'))
  expect([lostIn(lines), lines.length]).toEqual([3, 2])
})

test('a full disk is a fault with the path and the remedy', () => {
  const output = outputTo('/dev/full')
  expect(output.fault()).toBe(undefined)
  output.write('a\n')
  expect(output.fault()).toBe(
    'the output, which is /dev/full, cannot be written (ENOSPC): make room there, or lead it elsewhere',
  )
})

test.each(['process.exit(0)', 'throw new Error("a bug")'])(
  'what waits at the end is written as long as somebody reads: %s',
  async (end) => {
    const pipe = unreadPipe()
    const program = `import { standardError } from ${JSON.stringify(join(import.meta.dirname, 'line_output.ts'))}
      for (let index = 0; index < 500; index += 1) standardError.write(\`\${index} \${'x'.repeat(1_000)}\\n\`)
      ${end}`
    const output = openSync(pipe.path, constants.O_WRONLY)
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'ignore', output],
    })
    closeSync(output)
    const ended = once(child, 'exit')
    const lines = await linesOf(pipe, (read) => read.some((line) => line.startsWith('499 ')))
    expect(lines.filter((line) => /^\d+ x+$/.test(line))).toEqual(Array.from({ length: 500 }, (_, i) => numbered(i)))
    await ended
  },
)

test('what waits at a bounded end is given up then, though somebody reads', async () => {
  const pipe = unreadPipe()
  const program = `import { endWritingAt, standardError } from ${JSON.stringify(join(import.meta.dirname, 'line_output.ts'))}
    for (let index = 0; index < 500; index += 1) standardError.write(\`\${index} \${'x'.repeat(1_000)}\\n\`)
    endWritingAt(performance.now() + 100)`
  const output = openSync(pipe.path, constants.O_WRONLY)
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', output],
  })
  closeSync(output)
  const ended = once(child, 'exit')
  // Each read makes room for some lines, within the time that the end waits for a reader.
  let text = ''
  const reader = setInterval(() => {
    text += pipe.read()
  }, 500)
  onTestFinished(() => clearInterval(reader))
  await ended
  text += pipe.read()
  expect(text).toMatch(/^0 x/)
  expect(text).not.toMatch(/^499 /m)
})
