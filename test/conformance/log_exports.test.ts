import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeActivityProof } from '../../src/protocol/log/activity_proof.ts'
import type { LogEntry } from '../../src/protocol/log/log_entry.ts'
import { clientOf, ethereumAccount, signingOf } from '../support/client.ts'
import { needsDebianPython } from '../support/debian.ts'
import {
  exportOf,
  logsOf,
  type MadeLog,
  organizationId,
  policyOf,
  policyText,
  type Step,
  verified,
} from '../support/log_exports.ts'
import { startRunningServer } from '../support/running_server.ts'
import { run } from '../support/server_command.ts'
import { soon } from '../support/soon.ts'
import { apiKeyOf, stampWith } from '../support/stamping.ts'

/** Whole exports of a real server, verified by the command and by a reader that was written from the page alone. */

const reader = join(import.meta.dirname, '..', 'vectors', 'log', 'reader.py')

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'claviger-exports-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return (name: string) => join(made, name)
}

async function recordedServer() {
  const server = await startRunningServer()
  onTestFinished(() => server.end('SIGKILL').then(() => {}))
  const { organizationId, apiPrivateKey } = server.credentials
  const apiKey = apiKeyOf(apiPrivateKey)
  const post = async (path: string, body: object | string) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'x-stamp': stampWith(apiKey, Buffer.from(text)) }
    const answer = await fetch(server.url + path, { method: 'POST', headers, body: text })
    return { status: answer.status, body: await answer.json() }
  }
  const root = clientOf({ post }, { organizationId, apiKey })
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const made = await root.activity('create_wallet', { walletName: 'w', accounts })
  const [signWith] = made.body.activity.result.createWalletResult.addresses
  let activityId = ''
  for (let at = 0; at < 300; at += 1) {
    if (at % 50 === 0) await root.activity('create_user_tag', { userTagName: `tag ${at}`, userIds: [] })
    const signed = await root.activity('sign_raw_payload', signingOf(signWith, `${at}`))
    activityId = signed.body.activity.id
  }
  const proof = async () => (await root.query('get_activity_proof', { activityId })).body.proof
  await soon(async () => expect((await proof()).uncoveredVersions).toEqual([]))
  const { logs } = await (await fetch(`${server.url}/log/`)).json()
  return {
    server,
    proof: writeActivityProof({ organizationId, activityId, keys: logs[0].keys, ...(await proof()) }),
    checkpoint: await (await fetch(`${server.url}${logs[0].path}/checkpoint`)).text(),
    /** One more entry. */
    go: () => root.activity('create_user_tag', { userTagName: 'later', userIds: [] }),
    credentials: join(server.folder, 'credentials.json'),
    keys: logs.flatMap(({ keys }: { keys: string[] }) => keys) as string[],
  }
}

test('a real export verifies, also when it was broken off, and without the server', async (context) => {
  const python = needsDebianPython('cryptography', context)
  const { server, credentials, keys, ...recorded } = await recordedServer()
  const at = folder()
  // A log signs by two kinds of keys; Debian's library has no ML-DSA.
  writeFileSync(at('policy'), `${keys.map((key) => `log ${key}\n`).join('')}quorum none\n`)
  const exporting = () => run(['log', 'export', '--output', at('export'), '--credentials', credentials, '--json'])
  const result = { organizationId: server.credentials.organizationId, logs: 1, entries: 309 }
  const first = await exporting()
  expect([first.code, first.stderr, JSON.parse(first.stdout.join(''))]).toEqual([0, '', result])
  const whole = readFileSync(at('export'))
  for (const bytes of [
    whole.length,
    whole.length - 1,
    whole.lastIndexOf('{"end"'),
    whole.lastIndexOf('{"log"') + 100,
    whole.indexOf('\n') + 1,
  ]) {
    truncateSync(at('export'), bytes)
    expect((await exporting()).code).toBe(0)
    expect(readFileSync(at('export')).equals(whole)).toBe(true)
  }
  writeFileSync(at('notes'), 'no line feed')
  const refusedFile = await run(['log', 'export', '--output', at('notes'), '--credentials', credentials])
  expect([refusedFile.code, refusedFile.stderr]).toEqual([2, expect.stringContaining('is no export that was begun')])
  expect(readFileSync(at('notes'), 'utf8')).toBe('no line feed')
  writeFileSync(at('checkpoint'), recorded.checkpoint)
  writeFileSync(at('proof'), recorded.proof)
  await recorded.go()
  const ending = ['--output', at('held'), '--credentials', credentials, '--checkpoint', at('checkpoint')]
  expect((await run(['log', 'export', ...ending])).code).toBe(0)
  expect(readFileSync(at('held')).equals(whole)).toBe(true)
  await server.stop()

  const verified = await run(['log', 'verify', at('export'), '--policy', at('policy'), '--json'])
  const { chain, stamps, rules, results, notChecked } = JSON.parse(verified.stdout.join(''))
  expect([verified.code, chain]).toMatchObject([
    0,
    { result: 'right', findings: [], entries: 309, newest: { version: 8 } },
  ])
  expect([results, rules, stamps, notChecked.length]).toEqual([
    { result: 'right', checked: 301, notChecked: {}, findings: [], findingsCount: 0 },
    { result: 'right', checked: 307, notChecked: {}, findings: [], findingsCount: 0 },
    { result: 'right', checked: 307, notChecked: {}, findings: [], findingsCount: 0 },
    5,
  ])
  const inHand = ['--checkpoint', at('checkpoint'), '--proof', at('proof'), '--organization', result.organizationId]
  const compared = await run(['log', 'verify', at('export'), '--policy', at('policy'), ...inHand])
  expect([compared.code, compared.stderr]).toEqual([0, ''])
  expect(compared.stdout).toContainEqual(expect.stringMatching(/: the file ends with the checkpoint of .*checkpoint$/))
  expect(compared.stdout).toContain('  1 entry of the proofs given: in the file')
  const unknown = await run(['log', 'verify', at('export')])
  expect([unknown.code, unknown.stdout[0]]).toEqual([1, 'chain: right, but unvouched'])
  expect(unknown.stdout).toContainEqual(expect.stringContaining('no --policy was given'))
  const read = execFileSync(python, [reader, '--export', at('export'), at('policy')], { encoding: 'utf8' })
  expect(read).toBe('309 entries, 0 faults\n')

  const altered = Buffer.from(whole)
  const place = whole.indexOf('"entries":["') + 100
  altered[place] = altered[place] === 0x41 ? 0x42 : 0x41
  writeFileSync(at('export'), altered)
  const refused = await run(['log', 'verify', at('export'), '--policy', at('policy')])
  expect([refused.code, refused.stdout[0]]).toEqual([1, expect.stringMatching(/^chain: WRONG/)])
  expect(spawnSync(python, [reader, '--export', at('export'), at('policy')]).status).toBe(1)
}, 120_000)

test('the reader in Python finds what is wrong with an export', (context) => {
  const python = needsDebianPython('cryptography', context)
  const at = folder()
  const steps: readonly Step[] = Array.from({ length: 6 }, (_, number) => ({ log: number % 2, makes: number + 1 }))
  const logs = logsOf(2, [...steps, { log: 0, restsOn: 3 }])
  writeFileSync(at('policy'), policyText(logs))
  expect(policyOf(logs).logs).toHaveLength(2)
  const verify = (text: string) => {
    writeFileSync(at('export'), text)
    return spawnSync(python, [reader, '--export', at('export'), at('policy')], { encoding: 'utf8' }).stdout
  }
  expect(verify(exportOf(logs))).toBe('7 entries, 0 faults\n')
  expect(verify(exportOf(logs, { isDocumented: () => false }))).toContain('the document is missing')
  expect(verify(exportOf(logs).replace('\\"version\\":1', '\\"version\\":2'))).toContain('is not that of the entry')
  expect(verify(exportOf(logs).replace('step', 'pets'))).toContain('is not that of the entry')
  expect(verify(exportOf(logs.slice(0, 1)))).toContain('the policy names this log')
  expect(verify(exportOf(logs.map((log) => ({ ...log, seed: log.seed + 10 }))))).toContain('the checkpoint is refused')
  expect(verify(exportOf(logs, { isShown: ({ number }) => number !== 2 }))).toContain('does not follow entry 1')
  expect(verify(exportOf(logsOf(2, [...steps, { log: 0, makes: 6 }])))).toContain('head 6 is made twice')
  expect(verify(exportOf(logsOf(2, [...steps, { log: 1, restsOn: 2, branch: 'b' }])))).toContain('which no entry makes')
  expect(verify(exportOf(logs, { isShown: () => false }))).toContain('no entry of the organization')
  const before: readonly Step[] = [
    { log: 0, restsOn: 7 },
    { log: 0, makes: 8 },
    { log: 1, makes: 9 },
  ]
  expect(verify(exportOf(logsOf(2, [...before, { log: 0, restsOn: 3 }])))).toContain('rests on head 3, which no entry')
  expect(verify(exportOf(logsOf(2, [...steps, { log: 0, restsOn: 0 }])))).toContain('rests on nothing')
})

/** Verifies an export with both readers: the indexes of the entries that rest on a head which none makes. */
function readersOf(python: string) {
  const at = folder()
  return async (logs: readonly MadeLog[], isHidden: (entry: LogEntry) => boolean = () => false) => {
    const text = exportOf(logs, { isShown: (entry) => entry.organizationId === organizationId && !isHidden(entry) })
    writeFileSync(at('policy'), policyText(logs))
    writeFileSync(at('export'), text)
    const read = spawnSync(python, [reader, '--export', at('export'), at('policy')], { encoding: 'utf8' }).stdout
    const { findings } = await verified(text, policyOf(logs))
    // A hidden entry is found by its number, too.
    const ofHeads = findings.filter(({ what }) => what.includes('which no entry makes')).map(({ index }) => index)
    const inPython = [...read.matchAll(/ (\d+): (?:head \d+ rests|rests) on head \d+, which no entry makes/g)]
    return [ofHeads.toSorted(), inPython.map(([, index]) => Number(index)).toSorted()]
  }
}

const both = (...indexes: readonly number[]) => [indexes, indexes]

test('both readers compare heads that no entry of the file makes', async (context) => {
  const bothOn = readersOf(needsDebianPython('cryptography', context))
  const third = { log: 0, restsOn: 3 }
  expect(await bothOn(logsOf(1, [third, third]))).toEqual(both())
  expect(await bothOn(logsOf(1, [third, { ...third, branch: 'b' }]))).toEqual(both(1))
  expect(await bothOn(logsOf(2, [third, third, { ...third, log: 1, branch: 'b' }]))).toEqual(both(0))
  expect(await bothOn(logsOf(1, [{ log: 0, restsOn: 5 }, third]))).toEqual(both(1))
  expect(await bothOn(logsOf(1, [third, { log: 0, restsOn: 5 }]))).toEqual(both())
  const later = Array.from({ length: 11 }, (): Step => third)
  expect(await bothOn(logsOf(1, [third, { log: 0, restsOn: 5 }, ...later]))).toEqual(both(1))
  expect(await bothOn(logsOf(1, [third, { log: 0, makes: 8 }]))).toEqual(both(1))
  expect(await bothOn(logsOf(2, [third, { log: 1, makes: 8 }, { log: 1, makes: 9 }]))).toEqual(both())
})

test('both readers excuse heads that another log may publish later, and no others', async (context) => {
  const bothOn = readersOf(needsDebianPython('cryptography', context))
  const honest = Array.from({ length: 6 }, (_, number): Step => ({ log: number % 2, makes: number + 1 }))
  const without = (version: number) => (entry: LogEntry) => entry.makes?.version === version
  const cut = (logs: readonly MadeLog[], log: number) =>
    logs.map((one, place) => (place === log ? { ...one, entries: one.entries.slice(0, -1) } : one))

  // The end of log 0, which makes head 7, was not published yet.
  const onSeventh = logsOf(2, [...honest, { log: 0, makes: 7 }, { log: 1, restsOn: 7 }])
  expect(await bothOn(cut(onSeventh, 0))).toEqual(both())
  const makesEighth = logsOf(2, [...honest, { log: 0, makes: 7 }, { log: 1, makes: 8 }, { log: 1, restsOn: 7 }])
  expect(await bothOn(cut(makesEighth, 0))).toEqual(both())
  // The same more than ten seconds before the last entry.
  const later = Array.from({ length: 11 }, (): Step => ({ log: 1, restsOn: 6 }))
  const old = logsOf(2, [...honest, { log: 0, makes: 7 }, { log: 1, restsOn: 7 }, ...later])
  expect(await bothOn(cut(old, 0))).toEqual(both(3))
  // All logs have a head above.
  const above = logsOf(2, [...honest, { log: 0, makes: 7 }, { log: 0, makes: 8 }, { log: 1, makes: 9 }])
  expect(await bothOn(above, without(7))).toEqual(both(4))
  const single = logsOf(
    1,
    [1, 2, 3].map((makes) => ({ log: 0, makes })),
  )
  expect(await bothOn(single, without(2))).toEqual(both(2))
  // Another head of a version that an entry makes is no head that is missing.
  const forked = logsOf(2, [...honest.slice(0, 5), { log: 0, makes: 6, branch: 'b' }])
  expect(await bothOn(forked)).toEqual(both(3))
})
