import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { logKey, vkey } from '../../../test/support/log_keys.ts'
import { filesOf, keyOfLog, logId, origin, serveLog, type Tree } from '../../../test/support/served_log.ts'
import { run } from '../../../test/support/server_command.ts'
import { hashesIn, linesIn } from '../../protocol/log/lines.ts'
import { readCheckpoint } from '../../protocol/log/notes/checkpoint.ts'
import { readNote } from '../../protocol/log/notes/note.ts'
import { tilePath, tilesOfGrowth } from '../../protocol/log/tree/tiles.ts'
import { continues } from '../../protocol/log/tree/tree_proofs.ts'

/** Copies of a made-up log, whose server may lie. `test/scenarios/witnesses.test.ts` copies that of a real one. */

const witness = logKey('witness.example/one', 'Ed25519 cosignature', 9)

function copy() {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-mirror-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string) => join(folder, logId, name)
  return {
    path,
    async mirror(url: string, ...options: readonly string[]) {
      const { code, stdout, stderr } = await run(['log', 'mirror', folder, '--server', url, '--json', ...options])
      expect(stderr).toBe('')
      return { code, logs: JSON.parse(stdout.join('')).logs }
    },
    /** Whether all files of this tree are there. */
    has: (files: ReadonlyMap<string, Uint8Array>) =>
      [...files].every(([name, content]) => existsSync(path(name)) && readFileSync(path(name)).equals(content)),
    file: (name: string, content: string) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    },
  }
}

const copied = (size: number, before: number, cosigned?: number) => ({
  code: 0,
  logs: [{ origin, result: 'copied', size, before, ...(cosigned === undefined ? {} : { cosigned }) }],
})
const refused = (result: string, reason: string) => ({
  code: 6,
  logs: [{ origin, result, reason: expect.stringContaining(reason) }],
})

test('a copy grows with the log, and asks for no file again that cannot change', async () => {
  const { served, url } = await serveLog(filesOf({ size: 3 }))
  const { mirror, has, path } = copy()
  expect(await mirror(url)).toEqual(copied(3, 0))
  for (const [before, size] of [
    [3, 3],
    [3, 256],
    [256, 700],
    [700, 66_000],
    [66_000, 66_001],
  ] as const) {
    served.files = filesOf({ size })
    served.asked = []
    expect(await mirror(url)).toEqual(copied(size, before))
    expect(has(served.files)).toBe(true)
    const grown = [...tilesOfGrowth({ from: before, to: size })].map(tilePath)
    const own = ['', 'cosigned', 'checkpoint']
    expect(served.asked.filter((name) => ![...own, ...grown].includes(name))).toEqual([])
  }
  expect(existsSync(path('tile/entries/000.p'))).toBe(false)
  expect(existsSync(path('fork'))).toBe(false)
})

test('a copy that was broken off goes on, and leads to no file twice', async () => {
  const { served, url } = await serveLog(filesOf({ size: 20_000 }))
  const { mirror, has, path } = copy()
  served.breaksAfter = 40
  expect(await mirror(url)).toMatchObject({ code: 5, logs: [{ result: 'not copied' }] })
  expect(existsSync(path('checkpoint'))).toBe(false)
  expect(existsSync(path('tile/entries/000'))).toBe(true)
  served.breaksAfter = Number.POSITIVE_INFINITY
  served.asked = []
  expect(await mirror(url)).toEqual(copied(20_000, 0))
  expect(served.asked).not.toContain('tile/entries/000')
  expect(has(served.files)).toBe(true)
})

test.each<[name: string, kept: Tree, forked: Tree]>([
  ['of the same size', { size: 300 }, { size: 300, fork: 299 }],
  ['that is longer', { size: 300 }, { size: 1_000, fork: 299 }],
  ['that is shorter', { size: 700 }, { size: 300, fork: 299 }],
  ['that differs from the first entry on', { size: 300 }, { size: 900, fork: 0 }],
])('a second history %s is a fork, and both checkpoints stay as evidence', async (_name, kept, forked) => {
  const { served, url } = await serveLog(filesOf(kept))
  const { mirror, has, path } = copy()
  expect(await mirror(url)).toEqual(copied(kept.size, 0))
  const whole = served.files
  served.files = filesOf(forked)
  expect(await mirror(url)).toEqual(refused('forked', 'A FORK'))
  expect(has(whole)).toBe(true)

  const [older, newer] = ['fork/older', 'fork/newer'].map((name) => {
    const note = readNote(readFileSync(path(name)))
    const checkpoint = note.kind === 'read' ? readCheckpoint(note.value.text) : note
    if (checkpoint.kind === 'malformed') throw new Error(checkpoint.reason)
    return checkpoint.value
  })
  if (older === undefined || newer === undefined) throw new Error('there are two')
  expect([older.size, newer.size]).toEqual([kept.size, forked.size].toSorted((one, other) => one - other))
  const proof = hashesIn(linesIn(readFileSync(path('fork/proof'), 'utf8')))
  const growth = { from: older.size, to: newer.size, fromRoot: older.root, toRoot: newer.root, proof }
  expect(continues(growth)).toBe(false)
  served.files = whole
  expect(await mirror(url)).toEqual(copied(kept.size, kept.size))
})

test('a server that shows less than before, or hides the log, or signs with new keys, is refused', async () => {
  const { served, url } = await serveLog(filesOf({ size: 300 }))
  const { mirror, has } = copy()
  await mirror(url)
  const whole = served.files
  served.files = filesOf({ size: 299 })
  expect(await mirror(url)).toEqual(refused('wrong', 'the server shows 299 entries, and the copy has 300'))
  const other = logKey(origin, 'Ed25519', 2)
  served.files = filesOf({ size: 400 }, { key: other })
  served.keys = [vkey(other)]
  expect(await mirror(url)).toEqual(refused('wrong', 'a checkpoint is refused'))
  served.isListed = false
  expect(await mirror(url)).toEqual({
    code: 6,
    logs: [{ ...refused('wrong', 'lists it no more').logs[0], origin: logId }],
  })
  expect(has(whole)).toBe(true)
})

test.each(['tile/entries/000', 'tile/entries/002.p/188', 'tile/1/000.p/2', 'checkpoint'])(
  'an altered file %s is not copied',
  async (name) => {
    const files = filesOf({ size: 700 })
    const altered = Buffer.from(files.get(name) ?? '')
    altered[40] = (altered[40] ?? 0) ^ 1
    const { served, url } = await serveLog(new Map([...files, [name, altered]]))
    const { mirror, has, path } = copy()
    expect(await mirror(url)).toEqual(refused('wrong', ''))
    expect(existsSync(path(name))).toBe(false)
    served.files = files
    expect(await mirror(url)).toEqual(copied(700, 0))
    expect(has(files)).toBe(true)
  },
)

test('a file of the copy that was altered or lost is replaced when the copy is checked anew', async () => {
  const { served, url } = await serveLog(filesOf({ size: 700 }))
  const { mirror, has, path } = copy()
  await mirror(url)
  writeFileSync(path('tile/entries/001'), 'altered')
  rmSync(path('tile/0/000'))
  rmSync(path('tile/1/000.p/2'))
  expect(await mirror(url)).toEqual(copied(700, 700))
  expect(has(served.files)).toBe(false)
  expect(await mirror(url, '--anew')).toEqual(copied(700, 700))
  expect(has(served.files)).toBe(true)
})

test('the cosigned checkpoint is copied with the tiles of its size, and a policy asks for it', async () => {
  const cosigned = { cosigned: { size: 290 }, cosigner: witness }
  const { served, url } = await serveLog(filesOf({ size: 300 }, cosigned))
  const { mirror, has, file } = copy()
  const policy = file('policy', `log ${vkey(keyOfLog)}\nwitness one ${vkey(witness)}\nquorum one\n`)
  expect(await mirror(url, '--policy', policy)).toEqual(copied(300, 0, 290))
  expect(has(served.files)).toBe(true)
  const smaller = filesOf({ size: 290 })
  smaller.delete('checkpoint')
  expect(has(smaller)).toBe(true)

  served.files = filesOf({ size: 310 })
  expect(await mirror(url, '--policy', policy)).toEqual(refused('wrong', 'no checkpoint that the quorum'))
  served.files = filesOf({ size: 310 }, { cosigned: { size: 305, fork: 300 }, cosigner: witness })
  expect(await mirror(url, '--policy', policy)).toEqual(
    refused('forked', 'of 310 entries does not continue that of 305'),
  )
  served.isListed = false
  expect((await mirror(url, '--policy', policy)).logs).toContainEqual(
    expect.objectContaining({ origin, reason: 'the policy names this log, and the server does not list it' }),
  )
})

test('wrong usage and a server that is away have their exit codes', async () => {
  const { mirror } = copy()
  const { url } = await serveLog(new Map())
  expect((await run(['log', 'mirror', '/tmp/x', '--server', 'ftp://x'])).code).toBe(2)
  expect((await run(['log', 'mirror', '/proc/x', '--server', url])).code).toBe(2)
  expect((await run(['log', 'mirror', join(tmpdir(), 'claviger-none'), '--server', 'http://127.0.0.1:1'])).code).toBe(3)
  expect(await mirror(url)).toEqual(refused('wrong', 'the server has no checkpoint of it'))
})
