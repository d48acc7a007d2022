import { expect, test } from 'vitest'
import type { Read } from '../../src/protocol/reads.ts'
import { activityRequest, clientOf, p256, signingOf } from '../support/client.ts'
import { holdWrites, isWaiting } from '../support/gated_journal.ts'
import { startWithPasscode, startWithPasscodeInChild, wrongPasscodes } from '../support/guesses.ts'
import type { Server } from '../support/in_process.ts'
import { type Leaking, startLeaking } from '../support/leaked_key.ts'
import { claimsOf } from '../support/logins.ts'
import { branchOf, startAfterCrash } from '../support/lying_store.ts'
import { generateApiKey } from '../support/stamping.ts'
import { resultOf } from '../support/two_organizations.ts'

/**
 * Answers and reads that leave the vault before a commit, or without one: they tell no secret and hold after a crash.
 */

type Answered = ReturnType<Server['post']>

/** Makes commits wait until the test lets them through. `isHeld` resolves when the first one waits. */
function holdCommits({ store }: Pick<Server, 'store'>) {
  const { commit } = store
  const held = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  store.commit = async (written) => {
    held.resolve()
    await gate.promise
    return commit(written)
  }
  return { isHeld: held.promise, letThrough: gate.resolve }
}

/** Returns the reads for a request up to its trial. After the trial the request waits for its turn. */
async function readsOfTrial({ store, vault }: Pick<Server, 'store' | 'vault'>, post: () => Answered) {
  const { find } = store
  const { answer } = vault
  const reads: Read[] = []
  const tried = Promise.withResolvers<void>()
  store.find = (asked) => {
    reads.push(...asked)
    return find(asked)
  }
  vault.answer = async (request) => {
    const answered = await answer(request)
    if (request.isTrial === true && answered.kind !== 'moreReads') tried.resolve()
    return answered
  }
  const answered = post()
  await Promise.race([tried.promise, answered])
  store.find = find
  vault.answer = answer
  return { answered, reads }
}

test('a hostile database behind an honest service learns nothing from guesses that are not counted', async () => {
  const { server, organizationId, parentId, apiKey, passcode, guess } = await startWithPasscodeInChild()
  const { path, body } = activityRequest('create_user_tag', {
    organizationId,
    parameters: { userTagName: 'tag', userIds: [] },
    timestampMs: Date.now(),
  })
  const { isHeld, letThrough } = holdCommits(server)
  const busy = server.post(path, body, apiKey)
  await isHeld

  /** Proofs look the parent up, so the reads of a decided guess could show its outcome. */
  function tryGuess(code: string) {
    const request = guess(code, { generateAppProofs: true })
    return readsOfTrial(server, () => server.post(request.path, request.body, apiKey))
  }
  const guesses: Answered[] = []
  for (const code of wrongPasscodes(passcode, 6)) guesses.push((await tryGuess(code)).answered)
  const right = await tryGuess(passcode)
  guesses.push(right.answered)

  // When their turn comes, the database is gone. So no guess was decided, and none may have used the passcode up.
  const { find } = server.store
  server.store.find = () => Promise.reject(new Error('the disk is gone'))
  letThrough()
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses).toEqual(guesses.map(() => 503))
  expect((await busy).status).toBe(200)
  server.store.find = find
  const counted = guess(passcode)
  expect((await server.post(counted.path, counted.body, apiKey)).status).toBe(200)
  expect(right.reads.filter((read) => 'organizationId' in read && read.organizationId === parentId)).toEqual([])
})

test('a hostile database and a restart: the same verify_otp gives no second token', async () => {
  const { server, apiKey, passcode, guess } = await startWithPasscode()
  const old = await branchOf(server.folder)
  const { path, body } = guess(passcode)
  const first = await server.post(path, body, apiKey)
  expect(first.status).toBe(200)
  const restarted = await startAfterCrash(server, old)
  const second = await restarted.post(path, body, apiKey)
  const tokens = [first, second]
    .filter(({ status }) => status === 200)
    .map((answer) => claimsOf(answer.body.activity.result.verifyOtpResult.verificationToken).id)
  expect(new Set(tokens).size).toBe(1)
})

/** Commits a revocation without confirming it, shows somebody its head, and stops the machine. */
async function statusOfSigningAfter(show: (leaking: Leaking) => Promise<void>): Promise<number> {
  const leaking = await startLeaking()
  const { server, liar, organizationId, apiKey, leaked, signWith, revoke } = leaking
  const old = await liar.branch()
  const committed = Promise.withResolvers<void>()
  liar.answerCommitsWith(async (commit) => {
    await server.store.commit(commit)
    committed.resolve()
    return new Promise<never>(() => {})
  })
  void revoke().post(apiKey)
  await committed.promise
  await show(leaking)
  const restarted = clientOf(await startAfterCrash(server, old), { organizationId, apiKey: leaked })
  return (await restarted.activity('sign_raw_payload', signingOf(signWith, 'by the leaked key'))).status
}

test('a revocation that a query shows is durable', async () => {
  const status = await statusOfSigningAfter(async ({ server, organizationId, userId, apiKey, leaked }) => {
    const { apiKeys } = await resultOf(clientOf(server, { organizationId, apiKey }).query('get_api_keys', { userId }))
    expect(JSON.stringify(apiKeys)).not.toContain(leaked.publicKey)
  })
  expect(status).not.toBe(200)
})

test('a revocation that a refusal shows is durable', async () => {
  const status = await statusOfSigningAfter(async ({ server, organizationId, leaked }) => {
    const refused = await clientOf(server, { organizationId, apiKey: leaked }).query('whoami')
    expect(refused.status).toBe(401)
  })
  expect(status).not.toBe(200)
})

/** The commit of this request is in the database, and nobody confirms it. Resolves with the organizations of its heads. */
async function commitOnly({ server, liar }: Pick<Leaking, 'server' | 'liar'>, post: () => Promise<unknown>) {
  const committed = Promise.withResolvers<readonly string[]>()
  liar.answerCommitsWith(async (commit) => {
    await server.store.commit(commit)
    committed.resolve(commit.heads.map(({ organizationId }) => organizationId))
    return new Promise<never>(() => {})
  })
  void post()
  return committed.promise
}

test('a signature that nothing counts waits until the head that it rests on is durable', async () => {
  const leaking = await startLeaking()
  const { server, organizationId, apiKey, signWith, tag } = leaking
  await commitOnly(leaking, () => tag('unconfirmed').post(apiKey))
  const letThrough = await holdWrites(server.folder)
  const root = clientOf(server, { organizationId, apiKey })
  const signed = root.activity('sign_raw_payload', signingOf(signWith, 'on a head that may be forgotten'))
  expect(await isWaiting(signed)).toBe(true)
  letThrough()
  expect((await signed).status).toBe(200)
})

test('a query shows a sub-organization as made only once its first head is durable', async () => {
  const leaking = await startLeaking()
  const { server, liar, organizationId, apiKey } = leaking
  const childKey = generateApiKey()
  const rootUser = { userName: 'root', apiKeys: [p256(childKey)], authenticators: [], oauthProviders: [] }
  const parameters = { subOrganizationName: 'sub', rootQuorumThreshold: 1, rootUsers: [rootUser] }
  const request = liar.activity('create_sub_organization', { organizationId, parameters })
  const [childId = ''] = await commitOnly(leaking, () => request.post(apiKey))
  const letThrough = await holdWrites(server.folder)
  const taken = clientOf(server, { organizationId: childId, apiKey: childKey }).query('whoami')
  expect(await isWaiting(taken)).toBe(true)
  const listed = clientOf(server, { organizationId, apiKey }).query('list_activities')
  expect(await isWaiting(listed)).toBe(true)
  letThrough()
  expect([(await taken).status, (await listed).status]).toEqual([200, 200])
})
