import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { logKey, vkey } from '../../test/support/log_keys.ts'
import { freshFolder, killLaunched, run } from '../../test/support/server_command.ts'
import { smallLog } from '../../test/support/small_log.ts'
import { makeWitness, witnessName as name, startWitness, textFile } from '../../test/support/witness_command.ts'
import { openNote, readNote, readSignatureLines, type Verifier } from '../protocol/log/notes/note.ts'
import { witnessedPath } from '../protocol/log/witness.ts'

/** The real command, asked over HTTP as a log asks it. */

afterAll(killLaunched)

const key = logKey('example.com/log', 'Ed25519', 1)
const log = smallLog(key)
/** Another history of the same log. */
const fork = smallLog(key, 1)
const stranger = smallLog(logKey('example.com/log', 'Ed25519', 2))
const unknown = smallLog(logKey('example.com/other', 'Ed25519', 1))
const logsFile = (text = `log ${vkey(key)}\n`) => textFile(text)

const startLogWitness = (data: string, environment: Readonly<Record<string, string>> = {}) =>
  startWitness({ data, logs: [vkey(key)], environment })

/** Whether these lines are signatures of the witness under a text, and when by its clock. */
function timesOf(lines: string, text: string, verifiers: readonly Verifier[]) {
  const signatures = readSignatureLines(Buffer.from(lines))
  if (signatures.kind === 'malformed') throw new Error(signatures.reason)
  const opened = openNote({ text, signatures: signatures.value }, verifiers)
  if (opened.kind === 'refused') throw new Error(opened.reason)
  return [...opened.by.values()].map(({ timeS }) => timeS ?? 0)
}

describe('a witness', () => {
  test('is made with keys that only its owner may read, and never over another one', async () => {
    const { data, verifiers } = await makeWitness()
    expect(verifiers.map((verifier) => verifier.name)).toEqual([name, name])
    expect(statSync(join(data, 'witness.key')).mode & 0o777).toBe(0o600)
    expect(statSync(data).mode & 0o777).toBe(0o700)
    const before = readFileSync(join(data, 'witness.key'))
    const again = await run(['witness', 'create', '--data', data, '--name', name])
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('witness.key exists already') })
    expect(readFileSync(join(data, 'witness.key'))).toEqual(before)
    expect((await run(['witness', 'create', '--data', freshFolder(), '--name', 'a b'])).code).toBe(2)
    expect((await run(['witness', 'create', '--data', freshFolder(), '--name', 'a'.repeat(256)])).code).toBe(2)
  })

  test('gives every answer of the protocol', async () => {
    const { data, verifiers } = await makeWitness()
    const witness = await startLogWitness(data)
    expect(await witness.kept()).toBe(404)
    expect(await witness.add(log.request({ old: 3, from: 3, to: 5 }))).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      text: '0\n',
    })
    const first = await witness.add(log.request({ old: 0, to: 3 }))
    expect([first.status, first.type]).toEqual([200, 'text/plain; charset=utf-8'])
    const times = timesOf(first.text, log.textAt(3), verifiers)
    expect(times).toHaveLength(2)
    for (const timeS of times) expect(Math.abs(timeS - Date.now() / 1_000)).toBeLessThan(60)
    expect((await witness.add(log.request({ old: 3, to: 9 }))).status).toBe(200)
    expect((await witness.add(log.request({ old: 9, to: 9 }))).status).toBe(200)

    const statuses: readonly (readonly [Uint8Array | string, number])[] = [
      ['', 400],
      ['old 9\n', 400],
      [Buffer.from(log.request({ old: 9, to: 12 })).subarray(1), 400],
      [log.request({ old: 13, from: 9, to: 12 }), 400],
      [unknown.request({ old: 9, to: 12 }), 404],
      [stranger.request({ old: 9, to: 12 }), 403],
      [log.request({ old: 3, to: 12 }), 409],
      [log.request({ old: 0, to: 3 }), 409],
      [fork.request({ old: 0, to: 3 }), 409],
      [log.request({ old: 9, from: 8, to: 12 }), 422],
      [fork.request({ old: 9, to: 12 }), 422],
      [fork.request({ old: 9, to: 9 }), 422],
      ['a'.repeat(266_241), 413],
    ]
    for (const [body, status] of statuses) expect((await witness.add(body)).status, `${body}`).toBe(status)
    expect(await witness.add(log.request({ old: 3, to: 12 }))).toMatchObject({ type: 'text/x.tlog.size', text: '9\n' })

    const served = await witness.kept()
    const note = readNote(Buffer.from(`${served}`))
    if (note.kind === 'malformed') throw new Error(note.reason)
    expect(note.value.text).toBe(log.textAt(9))
    expect(note.value.signatures.map((signature) => signature.name)).toEqual([key.name, name, name])
    expect(openNote(note.value, verifiers)).toMatchObject({ kind: 'signed' })
    const other = async (path: string, method: string) => (await fetch(`${witness.url}${path}`, { method })).status
    expect(await other('/add-checkpoint', 'GET')).toBe(405)
    expect(await other(`/${witnessedPath('example.com/log')}`, 'POST')).toBe(405)
    expect(await other(`/${witnessedPath('example.com/other')}`, 'GET')).toBe(404)
    expect(await other('/', 'GET')).toBe(404)
    const { code, stderr } = await witness.stop()
    expect(code).toBe(0)
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', message: 'ready', url: witness.url },
      { level: 'warn', message: 'a log was refused a cosignature', origin: 'example.com/log', kept: 9 },
    ])
  })

  test('cosigns extension lines by Ed25519 alone', async () => {
    const { data, verifiers } = await makeWitness()
    const witness = await startLogWitness(data)
    const text = log.textAt(2, ['more'])
    const answer = await witness.add(log.request({ old: 0, to: 2, text }))
    expect([answer.status, timesOf(answer.text, text, verifiers).length]).toEqual([200, 1])
    await witness.stop()
    const again = await startLogWitness(data)
    expect((await again.add(log.request({ old: 2, to: 3 }))).status).toBe(200)
    await again.stop()
  })

  test('cosigns one of two histories that ask at once', async () => {
    const { data } = await makeWitness()
    const witness = await startLogWitness(data)
    const sizes = [3, 4, 5, 6]
    const answers = await Promise.all(
      [log, fork].flatMap((one) => sizes.map((to) => witness.add(one.request({ old: 0, to })))),
    )
    const won = answers.findIndex(({ status }) => status === 200)
    const size = sizes[won % sizes.length]
    expect(answers.filter((_, at) => at !== won)).toEqual(
      Array(answers.length - 1).fill({ status: 409, type: 'text/x.tlog.size', text: `${size}\n` }),
    )
    const history = won < sizes.length ? log : fork
    expect(`${await witness.kept()}`.startsWith(history.textAt(size ?? 0))).toBe(true)
    await witness.stop()
  })

  test.each([
    ['before it has stored a head', 'before', 'heads/[0-9a-f]{64}', 3],
    ['between a head and the list of heads', 'after', 'heads/[0-9a-f]{64}', 5],
    ['between the store and the answer', 'after', 'heads.list', 5],
  ])('that is killed %s forgets nothing that it has cosigned', async (_name, when, path, kept) => {
    const { data } = await makeWitness()
    if (kept === 3) {
      const first = await startLogWitness(data)
      expect((await first.add(log.request({ old: 0, to: 3 }))).status).toBe(200)
      await first.stop()
    }
    const old = kept === 3 ? 3 : 0
    const killed = await startLogWitness(data, { NODE_OPTIONS: `--import=${killing(when, path)}` })
    await expect(killed.add(log.request({ old, to: 5 }))).rejects.toThrow()
    expect((await killed.ended).code).toBeNull()
    const again = await startLogWitness(data)
    // The log does not know whether it was stored, and asks again.
    const answer = await again.add(log.request({ old, to: 5 }))
    expect([answer.status, answer.text]).toEqual(
      kept === 5 ? [409, '5\n'] : [200, expect.stringContaining(`— ${name}`)],
    )
    expect((await again.add(fork.request({ old: 5, to: 5 }))).status).toBe(422)
    expect((await again.add(log.request({ old: 5, to: 8 }))).status).toBe(200)
    await again.stop()
  })

  test('goes on for others while a client is slow, and after one that leaves', async () => {
    const { data } = await makeWitness()
    const witness = await startLogWitness(data)
    const { port } = new URL(witness.url)
    const head = 'POST /add-checkpoint HTTP/1.1\r\nhost: w\r\n'
    const slow = connect(Number(port), '127.0.0.1')
    slow.write(`${head}content-length: 1000\r\n\r\nold 0`)
    const gone = connect(Number(port), '127.0.0.1')
    gone.write(`${head}transfer-encoding: chunked\r\n\r\n5\r\nold 0\r\n`, () => gone.destroy())
    const long = connect(Number(port), '127.0.0.1')
    long.write(`${head}transfer-encoding: chunked\r\n\r\n50000\r\n${'a'.repeat(0x50000)}\r\n`)
    const [answer] = await once(long, 'data')
    expect(`${answer}`).toMatch(/^HTTP\/1\.1 413 /)
    expect((await witness.add(log.request({ old: 0, to: 3 }))).status).toBe(200)
    const garbage = connect(Number(port), '127.0.0.1')
    garbage.write('garbage\r\n\r\n')
    await once(garbage.resume(), 'close')
    expect((await witness.add(log.request({ old: 3, to: 5 }))).status).toBe(200)
    slow.destroy()
    long.destroy()
    expect((await witness.stop()).code).toBe(0)
  })
})

describe('a witness does not start', () => {
  async function witnessed() {
    const { data } = await makeWitness()
    const witness = await startLogWitness(data)
    await witness.add(log.request({ old: 0, to: 3 }))
    await witness.stop()
    const [id = ''] = readdirSync(join(data, 'heads'))
    return { data, head: join(data, 'heads', id), list: join(data, 'heads.list') }
  }
  const refusal = async (data: string, logs = logsFile()) => {
    const { code, stderr } = await run(['witness', '--data', data, '--logs', logs, '--port', '0'])
    expect(code, stderr).toBe(2)
    return stderr
  }

  test('on a store that has lost a head, its list, or its keys', async () => {
    const lost = await witnessed()
    rmSync(lost.head)
    expect(await refusal(lost.data)).toContain(`${lost.head} is lost or damaged (ENOENT)`)
    const listless = await witnessed()
    rmSync(listless.list)
    expect(await refusal(listless.data)).toContain(`${listless.list} is lost or damaged`)
    const keyless = await witnessed()
    rmSync(join(keyless.data, 'witness.key'))
    expect(await refusal(keyless.data)).toContain('witness.key cannot be read (ENOENT)')
    expect(await refusal(freshFolder())).toContain('witness.key cannot be read (ENOENT)')
  })

  test('on a store with damage, or with heads of another witness', async () => {
    const { data, head, list } = await witnessed()
    const right = readFileSync(head)
    for (const wrong of [right.subarray(0, 40), Buffer.of(), Buffer.from(`${right}`.replace('\n3\n', '\n2\n'))]) {
      writeFileSync(head, wrong)
      expect(await refusal(data)).toContain(`${head} is lost or damaged`)
    }
    writeFileSync(head, right)
    writeFileSync(list, 'garbage')
    expect(await refusal(data)).toContain(`${list} is lost or damaged`)
    // A list without the head that is there is one that was not written to its end.
    truncateSync(list)
    const whole = await startLogWitness(data)
    expect((await whole.add(fork.request({ old: 0, to: 3 }))).status).toBe(409)
    await whole.stop()
    expect(readFileSync(list, 'latin1')).toMatch(/^[0-9a-f]{64}\n$/)
    const other = await makeWitness()
    cpSync(join(other.data, 'witness.key'), join(data, 'witness.key'))
    expect(await refusal(data)).toContain(`${head} is lost or damaged`)
  })

  test('beside another one on its folder', async () => {
    const { data } = await makeWitness()
    const witness = await startLogWitness(data)
    expect(await refusal(data)).toContain('another witness is running on')
    await witness.stop()
  })

  test.each([
    [
      'a misspelt word',
      `lgo ${vkey(key)}\n`,
      'line 1: a line begins with log, witness, group, quorum or #: did you mean log?',
    ],
    ['a key that is none', '# logs\nlog garbage\n', 'line 2: a key is a name, eight hex digits and base64'],
    ['a key twice', `log ${vkey(key)}\nlog ${vkey(key)}\n`, 'line 2: a key is there twice'],
    ['other lines of a policy', `log ${vkey(key)}\nquorum none\n`, 'there are lines that are not of a log'],
    ['no log', '# nothing\n', 'it names no log'],
  ])('with a file of logs that has %s', async (_name, text, reason) => {
    const { data } = await makeWitness()
    expect(await refusal(data, logsFile(text))).toContain(reason)
  })

  test('without its options, without a file of logs, or with a key that others may read', async () => {
    const { data } = await makeWitness()
    expect((await run(['witness'])).stderr).toContain('give --data <folder> and --logs <file>')
    expect(await refusal(data, join(data, 'none'))).toContain('it cannot be read (ENOENT)')
    cpSync(join(data, 'witness.key'), join(data, 'copy'))
    writeFileSync(join(data, 'witness.key'), '{}')
    expect(await refusal(data)).toContain('is no file that `claviger witness create` has made')
    rmSync(join(data, 'witness.key'))
    writeFileSync(join(data, 'witness.key'), readFileSync(join(data, 'copy')), { mode: 0o644 })
    expect(await refusal(data)).toContain('witness.key can be read by others')
  })
})

/** A module that kills its process before or after a file with this name takes its place. */
function killing(when: string, path: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'claviger-kill-')), 'kill.mjs')
  const kill = `if (/${path.replaceAll('/', '\\/')}$/.test(to)) process.kill(process.pid, 'SIGKILL')`
  writeFileSync(
    file,
    `import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
const { rename } = fs
fs.rename = async (from, to) => {
  ${when === 'before' ? kill : ''}
  await rename(from, to)
  ${when === 'after' ? kill : ''}
}
syncBuiltinESMExports()
`,
  )
  return file
}
