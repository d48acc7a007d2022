import { expect, test } from 'vitest'
import { SecretBytes } from '../protocol/crypto/secret_bytes.ts'
import { forwardLine, jsonLinesLog } from './vault_log.ts'

test('a line arrives in the log at the other end with its level, fields and message', () => {
  const { log, lines } = collector()
  for (const level of ['info', 'warn', 'error'] as const)
    jsonLinesLog((line) => forwardLine(line, log))[level]({ count: 1 }, 'text')
  expect(lines).toEqual(['info', 'warn', 'error'].map((level) => [level, { vault: true, count: 1 }, 'text']))
})

test('a line has its time, which the log at the other end leaves out because it notes its own', () => {
  const { log, lines } = collector()
  const written: string[] = []
  jsonLinesLog((line) => written.push(line)).info({ count: 1 }, 'text')
  const [line = ''] = written
  expect(line).toMatch(/^\{"level":"info","time":"\d{4}-\d\d-\d\dT[^"]+Z","count":1,"message":"text"\}\n$/)
  forwardLine(line, log)
  expect(lines).toEqual([['info', { vault: true, count: 1 }, 'text']])
})

test('an error keeps its stack and its cause, and is one line', () => {
  const written: string[] = []
  jsonLinesLog((line) => written.push(line)).error({ error: new TypeError('a', { cause: new Error('b') }) }, 'failed')
  expect(written.length).toBe(1)
  expect(written[0]?.indexOf('\n')).toBe((written[0]?.length ?? 0) - 1)
  expect(JSON.parse(written[0] ?? '')).toMatchObject({
    level: 'error',
    error: { name: 'TypeError', message: 'a', stack: expect.stringContaining('log.test.ts'), cause: { message: 'b' } },
  })
})

test('a secret is not written', () => {
  const written: string[] = []
  const log = jsonLinesLog((line) => written.push(line))
  expect(() => log.info({ key: new SecretBytes(Uint8Array.of(1)) }, 'text')).toThrow(TypeError)
  expect(written).toEqual([])
})

for (const line of ['Segmentation fault', '{', 'null', '{"level":"constructor","message":"a"}', '{"level":"info"}']) {
  test(`a line that is not of the log is kept as it is: ${line}`, () => {
    const { log, lines } = collector()
    forwardLine(line, log)
    expect(lines).toEqual([['warn', { vault: true, line }, 'the vault wrote a line that is not of its log']])
  })
}

function collector() {
  const lines: unknown[] = []
  const log = {
    info: (fields: object, message: string) => lines.push(['info', fields, message]),
    warn: (fields: object, message: string) => lines.push(['warn', fields, message]),
    error: (fields: object, message: string) => lines.push(['error', fields, message]),
  }
  return { log, lines }
}
