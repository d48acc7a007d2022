import { beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { checkpointOf, exportOf, type MadeLog, policyOf, verifiedInAll } from '../../../test/support/log_exports.ts'
import { newAccount, startOrganization, type TestOrganization } from '../../../test/support/organization.ts'
import { historyOf, loggedHistory, type Told } from '../../../test/support/recorded_history.ts'
import type { LogEntry } from '../../protocol/log/log_entry.ts'
import type { Policy } from '../../protocol/log/policy.ts'
import type { HeldCheckpoint } from './held_files.ts'
import { reportedOf } from './log_verify.ts'
import { verdictOf } from './verdict.ts'
import { lateUnlike } from './verify/findings.ts'
import { reportOf } from './verify_report.ts'

/** The lines of reports on exports of a real history, of which some are not honest. */

let organization: TestOrganization
let known: Promise<readonly Told[]> | undefined

/** The organization, a wallet, four tags and a signature. */
beforeAll(async () => {
  organization = await startOrganization()
  const { done } = organization
  const { addresses } = await done('create_wallet', { walletName: 'w', accounts: [newAccount()] })
  for (const userTagName of ['a', 'b', 'c', 'd']) await done('create_user_tag', { userTagName, userIds: [] })
  const plain = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
  await done('sign_raw_payload', { signWith: addresses[0], payload: 'x', ...plain })
})

function history(): Promise<readonly Told[]> {
  const { server, organizationId, rootKey: apiKey } = organization
  known ??= historyOf(server, clientOf(server, { organizationId, apiKey }), 7)
  return known
}

type Reader = {
  readonly policy?: Policy | undefined
  readonly checkpoints?: readonly HeldCheckpoint[]
  readonly strict?: boolean
  /** The bytes that the file has. */
  readonly length?: number
  readonly isShown?: (entry: LogEntry) => boolean
}

/** The lines of the report on an export of a history, or of the log. */
async function report(told: readonly Told[] | MadeLog, given: Reader = {}) {
  const log = isLog(told) ? told : loggedHistory(told).log
  const of = organization.organizationId
  const { policy = policyOf([log]), checkpoints = [], strict = false, length, isShown } = given
  const reader = { policy: 'policy' in given ? given.policy : policy, held: { checkpoints, proofs: [] } }
  const text = exportOf([log], { of, ...(isShown && { isShown }) })
  const verified = await verifiedInAll(text.slice(0, length), reader.policy, reader)
  const { verdict, ...reported } = reportedOf(verified, { ...reader, strict })
  const lines = reportOf(verified, { ...reported, verdict }).split('\n')
  const headings = lines.filter((line) => /^(chain|stamps|rules|results): /.test(line))
  return { lines, headings, isRight: verdict.isRight, last: lines.at(-1) }
}

const isLog = (told: readonly Told[] | MadeLog): told is MadeLog => 'entries' in told && 'seed' in told
const right = ['chain: right', 'stamps: right', 'rules: right', 'results: right']

test('the report of an honest export ends with its verdict, and names the root of each tree', async () => {
  const { lines, headings, last, isRight } = await report(await history())
  expect(headings).toEqual(right)
  expect([last, isRight]).toEqual(['VERDICT: WHOLE: nothing is wrong up to its last entry', true])
  const { root, origin } = checkpointOf(loggedHistory(await history()).log, 'held')
  expect(lines).toContain(`  ${origin}: a tree of 7 entries, root ${Buffer.from(root).toString('base64')}`)
})

test('without a policy, or with another one, each step is unvouched, and the key that signed is named', async () => {
  const unvouched = right.map((line) => `${line}, but unvouched`)
  const without = await report(await history(), { policy: undefined })
  expect([without.headings, without.isRight]).toEqual([unvouched, false])
  expect(without.last).toBe('VERDICT: UNVOUCHED: no --policy says whose keys these are')
  const { log } = loggedHistory(await history())
  const [{ headings, lines, last, isRight }, { root: _, ...other }] = [
    await report({ ...log, seed: 9 }, { policy: policyOf([log]) }),
    checkpointOf({ ...log, seed: 9 }, 'held'),
  ]
  expect([headings, isRight]).toEqual([['chain: UNVOUCHED', ...unvouched.slice(1)], false])
  expect(last).toBe('VERDICT: UNVOUCHED: who signed it is not whom your policy names')
  const [ids] = other.note.signatures.map(({ keyId }) => keyId)
  const [known] = checkpointOf(log, 'held').note.signatures.map(({ keyId }) => keyId)
  const what = `the checkpoint is signed by key ${ids}, and your policy has key ${known} for this log`
  expect(lines).toContainEqual(expect.stringContaining(what))
  const unnamed = await report(log, { policy: policyOf([{ ...log, origin: 'other.example/log/0' }]) })
  expect(unnamed.lines).toContainEqual(expect.stringContaining('your policy does not name this log'))
})

test('an old export is called older, and no line says that no checkpoint was given', async () => {
  const { log } = loggedHistory(await history())
  const held = checkpointOf(log, 'held')
  const old = { ...log, entries: log.entries.slice(0, 5) }
  const { headings, lines, last, isRight } = await report(old, { checkpoints: [held] })
  expect([headings, isRight]).toEqual([['chain: OLDER THAN WHAT YOU HOLD', ...right.slice(1)], false])
  expect(last).toMatch(/^VERDICT: OLDER: nothing in it is wrong/)
  expect(lines).toContainEqual(expect.stringContaining('the file has a tree of 5 entries, and held one of 7'))
  expect(lines).toContain('- the last 2 entries of the tree of held, which stand after the end of this file')
  expect(lines.join('\n')).not.toContain('no --checkpoint')
  const passed = await report(log, { checkpoints: [checkpointOf(old, 'smaller')] })
  expect([passed.last, passed.isRight]).toEqual([expect.stringMatching(/^VERDICT: WHOLE: /), true])
  const what = `- whether ${log.origin} continues the tree of 5 entries in smaller: not compared. Make an export that ends there: claviger log export --checkpoint smaller`
  expect(passed.lines).toContain(what)
  const forged = await report(log, { checkpoints: [checkpointOf({ ...log, seed: 9 }, 'forged')] })
  expect(forged.lines.join('\n')).not.toContain('no --checkpoint')
  expect(forged.last).toBe('VERDICT: WRONG: 1 fault in chain')
})

test('a file that was cut off reaches no step', async () => {
  const { headings, lines, last } = await report(await history(), { length: 9_000 })
  expect(headings).toEqual([
    'chain: WRONG, 1 fault',
    ...right.slice(1).map((line) => line.replace('right', 'not reached')),
  ])
  expect(lines[1]).toMatch(/the file was cut off, or it is still being written$/)
  expect(last).toBe('VERDICT: WRONG: 1 fault in chain')
})

test('a late entry is named, and one that its place does not explain is a fault of --strict', async () => {
  const late = (each: Told, at: number): Told =>
    at === 6 ? { ...each, entry: { ...each.entry, isLate: true, restsOn: undefined } } : each
  const { log, of } = loggedHistory((await history()).map(late))
  const named = await report(log, { strict: true })
  expect(named.lines).toContainEqual(expect.stringMatching(/ entry at index 6: marked late by the vault, of 20.*Z: /))
  expect([named.last, named.isRight]).toEqual([expect.stringMatching(/^VERDICT: WHOLE: /), true])
  const verified = await verifiedInAll(exportOf([log], { of }), policyOf([log]))
  const unlike = { ...verified, rules: { ...verified.rules, notChecked: { [lateUnlike]: 1 } } }
  const verdictBy = (strict: boolean) => verdictOf(unlike, { hasPolicy: true, strict })
  expect(verdictBy(false)).toMatchObject({ name: 'WHOLE, BUT NOT ALL CHECKED', isRight: true })
  expect(verdictBy(true)).toMatchObject({ name: 'WRONG', isRight: false })
})

test('a hidden entry is named by its place, and the steps that went on without it say so', async () => {
  const { log, of } = loggedHistory(await history())
  const isShown = ({ organizationId, number }: LogEntry) => organizationId === of && number !== 4
  const { headings, lines, last } = await report(log, { isShown })
  const incomplete = right.slice(1).map((line) => expect.stringMatching(`^${line}, but over an incomplete history$`))
  expect(headings).toEqual(['chain: WRONG, 2 faults', ...incomplete])
  const what =
    'entry at index 4: the organization’s entry number 4 is missing: it stands at index 3, hidden behind a hash'
  expect(lines).toContainEqual(expect.stringContaining(what))
  expect(lines.join('\n')).not.toContain('published')
  expect(last).toBe('VERDICT: WRONG: 2 faults in chain')
  const places = `3, in ${log.origin} at index 4, 5, 6`
  expect(lines).toContain(`- decisions by rules that may be from a head that is missing: ${places}`)
})
