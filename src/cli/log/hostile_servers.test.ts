import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeWithoutEnd } from '../../../test/support/endless.ts'
import {
  checkpointOf,
  exportOf,
  logsOf,
  type MadeLog,
  organizationId,
  policyText,
} from '../../../test/support/log_exports.ts'
import { logKey, vkey } from '../../../test/support/log_keys.ts'
import { run } from '../../../test/support/server_command.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'
import { encodeLogEntry } from '../../protocol/log/encode_entry.ts'
import { inBase64 } from '../../protocol/log/exports/export_lines.ts'
import type { LogEntry } from '../../protocol/log/log_entry.ts'

const [log] = logsOf(1, [{ log: 0, makes: 1 }]) as [MadeLog]
const [entry] = log.entries as [LogEntry]
const path = `/log/${log.origin.split('/').at(-1)}`
const listed = { keys: [vkey(logKey(log.origin, 'Ed25519', log.seed))], path }
const bundle = { from: 0, indexes: [0], entries: [inBase64(encodeLogEntry(entry))], hashes: [], proof: [] }

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'claviger-hostile-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return (name: string) => join(made, name)
}

/** Exports from a server that gives these answers, by the ends of their paths. The answer to `endless` never ends. */
async function exportFrom(
  answers: Readonly<Record<string, object | string>>,
  { endless }: { readonly endless?: string } = {},
) {
  const server = createServer(({ url = '' }, response) => {
    if (endless !== undefined && url.endsWith(endless)) return writeWithoutEnd(response, '\n')
    const [, answer] = Object.entries(answers).find(([end]) => url.endsWith(end)) ?? []
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const at = folder()
  const { publicKey: apiPublicKey, privateKeyHex: apiPrivateKey } = generateApiKey()
  const credentials = { apiBaseUrl: `http://127.0.0.1:${port}`, organizationId, apiPublicKey, apiPrivateKey }
  writeFileSync(at('credentials.json'), JSON.stringify(credentials))
  return run(['log', 'export', '--output', at('export'), '--credentials', at('credentials.json')])
}

const honest = { '/log/': { logs: [listed] }, '/checkpoint': checkpointOf(log, '').text }

test('an export ends where the server lists the same entries or the same documents again', async () => {
  const entries = { ...honest, list_log_entries: { bundles: [], nextBundle: '0' } }
  const again = await exportFrom(entries)
  expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('lists the same entries again')])
  const documents = { documents: [], left: [entry.activity?.activityId] }
  const left = await exportFrom({ ...honest, list_log_entries: { bundles: [bundle] }, list_log_documents: documents })
  expect([left.code, left.stderr]).toEqual([5, expect.stringContaining('says that some are left')])
})

test.each([
  ['/log/', {}],
  ['/checkpoint', { '/log/': honest['/log/'] }],
  ['list_log_entries', honest],
])('an export ends where the answer to %s never does', async (path, answers) => {
  const { code, stderr } = await exportFrom(answers, { endless: path })
  expect([code, stderr]).toEqual([5, expect.stringMatching(/ has more than \d+ bytes/)])
})

test('an export asks no other host, whatever paths the server lists', async () => {
  const { code, stderr } = await exportFrom({ '/log/': { logs: [{ ...listed, path: '@other.example/log' }] } })
  expect([code, stderr]).toEqual([1, expect.stringContaining('is no list of logs')])
})

test('a report has no line that the file made up, and no pipe or device is read', async () => {
  const at = folder()
  const type = 'ACTIVITY_TYPE_SIGN_\nstamps: right'
  const entries = log.entries.map((each) => ({ ...each, activity: each.activity && { ...each.activity, type } }))
  writeFileSync(at('policy'), policyText([log]))
  writeFileSync(at('export'), exportOf([{ ...log, entries }]))
  const verify = (file: string) => run(['log', 'verify', file, '--policy', at('policy')])
  const { code, stdout } = await verify(at('export'))
  expect(code).toBe(1)
  expect(stdout.filter((line) => line.startsWith('stamps'))).toEqual(['stamps: WRONG, 1 fault'])
  expect(stdout.join()).toContain('ACTIVITY_TYPE_SIGN_\\nstamps: right')
  execFileSync('mkfifo', [at('pipe')])
  for (const file of [at('pipe'), '/dev/zero', at('.')]) {
    const refused = await verify(file)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/is no file\n$/)])
  }
})

test('an export is compared with another one: the same tree, an older one, and a fork', async () => {
  const at = folder()
  const [longer] = logsOf(
    1,
    [1, 2, 3].map((makes) => ({ log: 0, makes })),
  ) as [MadeLog]
  const last = longer.entries.at(-1) as LogEntry
  const forked = { ...longer, entries: [...longer.entries.slice(0, -1), { ...last, changeKey: '0f'.repeat(16) }] }
  const files = { longer, forked, older: { ...longer, entries: longer.entries.slice(0, 2) } }
  for (const [name, made] of Object.entries(files)) writeFileSync(at(name), exportOf([made]))
  writeFileSync(at('policy'), policyText([longer]))
  writeFileSync(at('strange'), '{"format":"another"}\n')
  const compared = (name: string, other: string) =>
    run(['log', 'verify', at(name), '--policy', at('policy'), '--checkpoint', at(other)])
  const report = async (name: string, other: string) => (await compared(name, other)).stdout.join('\n')
  expect(await report('longer', 'longer')).toContain(`the file ends with the checkpoint of ${at('longer')}`)
  expect(await report('older', 'longer')).toContain('OLDER THAN WHAT YOU HOLD: the file has a tree of 2 entries')
  expect(await report('longer', 'forked')).toContain(`A FORK: ${at('forked')} has another tree of 3 entries`)
  const strange = await compared('longer', 'strange')
  expect([strange.code, strange.stderr]).toEqual([2, expect.stringContaining('is no export: ')])
})
