import { expect, test } from 'vitest'
import { passcodeAttemptsMax } from '../../src/contract/records/counted_kinds.ts'
import type { Presented } from '../../src/link/verbs.ts'
import type { Read } from '../../src/protocol/reads.ts'
import { newPair, stampOf } from '../support/api_stamps.ts'
import { askVault } from '../support/ask_vault.ts'
import { activityRequest, clientOf } from '../support/client.ts'
import { startWithPasscodeInChild, wrongPasscodes } from '../support/guesses.ts'
import { resultOf } from '../support/two_organizations.ts'

/**
 * A service that was taken over decides what the vault sees, and when. It lets the parent's head move between the
 * comparison of a passcode and the release of the decision: the decision is then made again, and must be counted all the
 * same.
 */
test('guesses whose decision is overtaken are counted', async () => {
  const { server, parentId, parentKey, organizationId, userId, apiKey, passcode, guess } =
    await startWithPasscodeInChild()
  // A stamp that is verified at once keeps all requests in step.
  const pair = newPair('API_KEY_CURVE_SECP256K1')
  const key = { apiKeyName: 'own', publicKey: pair.publicKey, curveType: 'API_KEY_CURVE_SECP256K1' }
  await resultOf(clientOf(server, { organizationId, apiKey }).activity('create_api_keys', { userId, apiKeys: [key] }))

  let milliseconds = 0
  function stamped({ path, body }: { readonly path: string; readonly body: string }) {
    milliseconds += 1
    // Each is another request, and asks for proofs, for which the vault looks at the parent.
    const { timestampMs, ...rest } = JSON.parse(body)
    const bytes = Buffer.from(
      JSON.stringify({ ...rest, generateAppProofs: true, timestampMs: String(Number(timestampMs) - milliseconds) }),
    )
    const value = stampOf('SIGNATURE_SCHEME_TK_API_SECP256K1', pair, bytes)
    return {
      path,
      body: bytes,
      stamps: [{ header: 'x-stamp', value }] as const,
      dialect: 'spec',
      outcomes: [],
    } as const
  }
  type Request = ReturnType<typeof stamped>

  async function lookUp(reads: readonly Read[]): Promise<readonly Presented[]> {
    const found = await server.store.find(reads)
    return reads.map((read, index) => ({ read, found: found[index] as Presented['found'] }))
  }

  const parent: readonly Read[] = [
    { read: 'headTag', organizationId: parentId },
    { read: 'head', organizationId: parentId },
  ]

  /** What the request reads, learned by a trial, which counts nothing. */
  async function presentedFor(request: Request, known: readonly Presented[]): Promise<readonly Presented[]> {
    const answer = await server.vault.answer({ ...request, presented: known, isTrial: true })
    if (answer.kind !== 'moreReads') return known
    return presentedFor(request, [...known, ...(await lookUp(answer.reads))])
  }

  function tag(of: string) {
    const parameters = { userTagName: `tag ${milliseconds}`, userIds: [] }
    return activityRequest('create_user_tag', { organizationId: of, parameters, timestampMs: Date.now() })
  }

  /** The parent's next head is in the database, and the vault has not seen it yet. */
  async function raiseParent(): Promise<void> {
    const { answer } = await askVault(server, tag(parentId), { stampedBy: parentKey })
    if (answer.kind !== 'commit') throw new Error(answer.kind)
    expect(await server.store.commit(answer.commit)).toBe('committed')
  }

  async function guessAll(codes: readonly string[]): Promise<readonly string[]> {
    const guesses = codes.map((code) => stamped(guess(code)))
    const older = await lookUp(parent)
    const presented = await Promise.all(guesses.map((request) => presentedFor(request, older)))
    await raiseParent()
    const overtaking = stamped(tag(organizationId))
    const newer = [...(await presentedFor(overtaking, [])), ...(await lookUp(parent))]
    const answers = guesses.map((request, index) =>
      server.vault.answer({ ...request, presented: presented[index] ?? [] }),
    )
    const last = server.vault.answer({ ...overtaking, presented: newer })
    const kinds = (await Promise.all(answers)).map(({ kind }) => kind)
    await last
    return kinds
  }

  const kinds: string[] = []
  for (const code of wrongPasscodes(passcode, 4)) kinds.push(...(await guessAll([code, code])))
  // A guess that a busy machine decides before its head moves is committed: too few of these to use up the passcode.
  expect(kinds.filter((kind) => kind === 'commit').length).toBeLessThan(passcodeAttemptsMax)
  const right = guess(passcode)
  expect((await server.post(right.path, right.body, apiKey)).status).not.toBe(200)
})
