import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { createLogTo, errorForLog } from './log.ts'

function logged(write: (log: ReturnType<typeof createLogTo>) => void, level: 'debug' | 'info' | 'silent' = 'info') {
  const lines: string[] = []
  write(createLogTo({ write: (line) => lines.push(line) }, { level }))
  return lines.map((line) => JSON.parse(line))
}

describe('a line of the log', () => {
  test('is one JSON object with level, time, fields and message', () => {
    const [line] = logged((log) => log.warn({ port: 8787 }, 'listening'))
    expect(line).toEqual({ level: 'warn', time: expect.any(String), port: 8787, message: 'listening' })
    expect(new Date(line.time).toISOString()).toBe(line.time)
  })

  for (const [level, messages] of [
    ['debug', ['fine', 'coarse']],
    ['info', ['coarse']],
    ['silent', []],
  ] as const) {
    test(`is written at level ${level} for ${messages.length} of a debug and an error message`, () => {
      const lines = logged((log) => {
        log.debug({}, 'fine')
        log.error({}, 'coarse')
      }, level)
      expect(lines.map(({ message }) => message)).toEqual(messages)
    })
  }

  test('shows an error with its causes', () => {
    const [line] = logged((log) =>
      log.error({ error: new Error('outer', { cause: new TypeError('inner') }) }, 'it failed'),
    )
    expect(line.error).toMatchObject({
      name: 'Error',
      message: 'outer',
      cause: { name: 'TypeError', message: 'inner' },
    })
    expect(line.error.stack).toContain('log.test.ts')
  })

  test('holds no secret even when one is passed by mistake', () => {
    using secret = new SecretBytes(Buffer.from('correct horse'))
    const lines = logged((log) => log.info({ secret }, 'oh no'))
    expect(JSON.stringify(lines)).not.toContain(Buffer.from('correct horse').toString('hex'))
    expect(JSON.stringify(lines)).not.toContain('99,111,114')
  })

  test('goes to stderr and leaves stdout to the answers', () => {
    const program = `import { createLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
      createLog({ level: 'info' }).info({}, 'hello'); process.exit(0)`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(JSON.parse(stderr)).toMatchObject({ level: 'info', message: 'hello' })
  })
})

describe('an error in the log', () => {
  test('shows none of the properties that a library attached to it', () => {
    const error = Object.assign(new Error('it failed'), { headers: { 'x-stamp': 'abc' }, row: ['ada'] })
    expect(Object.keys(errorForLog(error)).sort()).toEqual(['message', 'name', 'stack'])
  })

  test('that stands for several shows their messages, since it has none of its own', () => {
    const error = new AggregateError([new Error('connect ECONNREFUSED ::1'), 'a text'])
    expect(errorForLog(error)).toMatchObject({ name: 'AggregateError', message: 'connect ECONNREFUSED ::1; a text' })
  })

  test('that is its own cause comes to an end', () => {
    const error = new Error('round')
    error.cause = error
    expect(JSON.stringify(errorForLog(error)).match(/"message":"round"/g)).toHaveLength(9)
  })

  test('that crossed a process as plain data is shown like one that did not', () => {
    const error = { name: 'Error', message: 'it failed', stack: 'at …', extra: 'left out' }
    expect(errorForLog(error)).toEqual({ name: 'Error', message: 'it failed', stack: 'at …' })
  })

  for (const [thrown, expected] of [
    ['a text', { name: 'Error', message: 'a text' }],
    [undefined, { name: 'Error', message: 'something was thrown that is no error' }],
    [null, { name: 'Error', message: 'something was thrown that is no error' }],
    [['a text', 'another'], { name: 'Error', message: 'something was thrown that is no error' }],
    [{ password: 'abc' }, { name: 'Error', message: 'something was thrown that is no error' }],
  ] as const) {
    test(`may be ${JSON.stringify(thrown)}, which is no error`, () => {
      expect(errorForLog(thrown)).toEqual(expected)
    })
  }
})
