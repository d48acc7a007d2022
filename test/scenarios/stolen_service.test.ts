import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Found, Read } from '../../src/protocol/reads.ts'
import { askVault, type Decided } from '../support/ask_vault.ts'
import { activityRequest, signingOf } from '../support/client.ts'
import { type Server, startInProcess } from '../support/in_process.ts'
import { generateApiKey } from '../support/stamping.ts'
import { buildTwoOrganizations, type Furnished } from '../support/two_organizations.ts'

/**
 * A service that was taken over answers every read of the vault as it likes, with anything that the vault has ever
 * sealed. The vault must sign nothing that the stamp did not ask for.
 */
let built: Awaited<ReturnType<typeof buildTwoOrganizations>>
let server: Server
let first: Furnished
let second: Furnished

beforeAll(async () => {
  built = await buildTwoOrganizations()
  ;({ first, second } = built)
  server = await startInProcess({ folder: built.copy() })
})
afterAll(async () => {
  await server.close()
  built.remove()
})

type Forge = (read: Read, found: Found) => Found | Promise<Found>

async function ask(
  path: string,
  body: object | string,
  forging: { stampedBy: ReturnType<typeof generateApiKey>; forge: Forge },
): Promise<Decided> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return (await askVault(server, { path, body: text }, forging)).answer
}

async function rowOf(read: Read): Promise<Found> {
  const [found] = await server.store.find([read])
  if (found === undefined) throw new Error('the store answers every read')
  return found
}

let asked = 0

function sign({ organizationId }: Furnished, signWith: string): string {
  asked += 1
  const parameters = signingOf(signWith, `request ${asked}`)
  return activityRequest('sign_raw_payload', { organizationId, parameters, timestampMs: Date.now() }).body
}
const signPath = '/public/v1/submit/sign_raw_payload'

function statusOf(answer: Decided): number | Decided['kind'] {
  return answer.kind === 'answer' ? answer.status : answer.kind
}

test('an honest request is signed, so the other tests of this file are refused for the forgery', async () => {
  const answer = await ask(signPath, sign(first, first.address), {
    stampedBy: first.rootKey,
    forge: (_read, found) => found,
  })
  expect(answer.kind).toBe('commit')
})

describe('records of another place are refused', () => {
  const forgeries: readonly (readonly [string, (read: Read) => Promise<Found> | undefined])[] = [
    [
      "the other account's record in place of the one that is named",
      (read) =>
        read.read === 'record' && read.recordId === first.accountId
          ? rowOf({ ...read, recordId: first.otherAccountId })
          : undefined,
    ],
    [
      "another organization's account under this one's id",
      (read) =>
        read.read === 'record' && read.recordId === first.accountId
          ? rowOf({ ...read, organizationId: second.organizationId, recordId: second.accountId })
          : undefined,
    ],
    [
      "another organization's head in place of this one's",
      (read) => (read.read === 'head' ? rowOf({ ...read, organizationId: second.organizationId }) : undefined),
    ],
    [
      "another organization's user in place of this one's",
      (read) =>
        read.read === 'record' && read.kind === 'user'
          ? rowOf({ ...read, organizationId: second.organizationId, recordId: second.rootId })
          : undefined,
    ],
    [
      'a wallet in place of a user',
      (read) =>
        read.read === 'record' && read.kind === 'user'
          ? rowOf({ ...read, kind: 'wallet', recordId: first.walletId })
          : undefined,
    ],
  ]
  for (const [name, forged] of forgeries) {
    test(name, async () => {
      const fresh = await startInProcess({ folder: built.copy() })
      const before = server
      server = fresh
      try {
        const answer = await ask(signPath, sign(first, first.address), {
          stampedBy: first.rootKey,
          forge: (read, found) => forged(read) ?? found,
        })
        expect(statusOf(answer)).toBe('integrity')
      } finally {
        server = before
        await fresh.close()
      }
    })
  }
})

describe('a lookup of the thief', () => {
  test('cannot make a stranger a user', async () => {
    const stranger = generateApiKey()
    const answer = await ask(signPath, sign(first, first.address), {
      stampedBy: stranger,
      forge: (read, found) =>
        read.read === 'lookup' && read.lookup === 'credential'
          ? {
              read: 'lookup',
              rows: [{ organizationId: first.organizationId, kind: 'user', recordId: first.rootId }],
            }
          : found,
    })
    expect(statusOf(answer)).toBe(401)
  })

  test("cannot make one organization's user another one's", async () => {
    const answer = await ask(signPath, sign(second, second.address), {
      stampedBy: first.rootKey,
      forge: (read, found) =>
        read.read === 'lookup' && read.lookup === 'credential'
          ? {
              read: 'lookup',
              rows: [{ organizationId: first.organizationId, kind: 'user', recordId: first.rootId }],
            }
          : found,
    })
    expect(statusOf(answer)).toBe(401)
  })

  test('cannot make one account sign for the address of another', async () => {
    const answer = await ask(signPath, sign(first, first.address), {
      stampedBy: first.rootKey,
      forge: (read, found) =>
        read.read === 'lookup' && read.lookup === 'address'
          ? {
              read: 'lookup',
              rows: [
                { organizationId: first.organizationId, kind: 'wallet_account', recordId: first.otherAccountId },
                { organizationId: second.organizationId, kind: 'wallet_account', recordId: second.accountId },
              ],
            }
          : found,
    })
    expect(statusOf(answer)).toBe(404)
  })

  test("cannot make a parent of whom a sub-organization's head does not name", async () => {
    const answer = await ask(
      '/public/v1/query/whoami',
      { organizationId: second.organizationId },
      {
        stampedBy: first.rootKey,
        forge: (read, found) =>
          read.read === 'holders'
            ? {
                read: 'holders',
                rows: [{ organizationId: first.organizationId, kind: 'user', recordId: first.rootId }],
              }
            : found,
      },
    )
    expect(statusOf(answer)).toBe(401)
  })
})

test('an activity that was made up is refused: neither shown nor taken for the bytes that were sent', async () => {
  const other = await rowOf({
    read: 'activity',
    organizationId: second.organizationId,
    activityId: second.activityId,
  })
  const shown = await ask(
    '/public/v1/query/get_activity',
    { organizationId: first.organizationId, activityId: first.activityId },
    { stampedBy: first.rootKey, forge: (read, found) => (read.read === 'activity' ? other : found) },
  )
  expect(statusOf(shown)).toBe('integrity')
  const own = await rowOf({ read: 'activity', organizationId: first.organizationId, activityId: first.activityId })
  const taken = await ask(signPath, sign(first, first.address), {
    stampedBy: first.rootKey,
    forge: (read, found) =>
      read.read === 'request' && own.read === 'activity' ? { read: 'request', row: own.row } : found,
  })
  expect(statusOf(taken)).toBe('integrity')
})

test('a new organization always has an id of its own, whatever the request says', async () => {
  const { publicKey } = generateApiKey()
  const request = {
    organizationName: 'Mine',
    userName: 'thief',
    userEmail: undefined,
    apiKeyName: 'key',
    apiPublicKey: publicKey,
    organizationId: first.organizationId,
  }
  const made = await server.vault.createOrganization(request)
  expect(made.organizationId).not.toBe(first.organizationId)
  for (const { organizationId } of [...made.commit.heads, ...made.commit.records, ...made.commit.lookups]) {
    expect(organizationId).toBe(made.organizationId)
  }
  expect(made.commit.readSet).toEqual([
    { of: 'head', organizationId: made.organizationId, version: undefined, tag: undefined },
  ])
})

test('no message to the service holds a secret in the clear', async () => {
  const created = await ask(
    '/public/v1/submit/create_private_keys',
    {
      type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
      timestampMs: String(Date.now()),
      organizationId: first.organizationId,
      parameters: {
        privateKeys: [
          {
            privateKeyName: 'searched for',
            curve: 'CURVE_SECP256K1',
            privateKeyTags: [],
            addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
          },
        ],
      },
    },
    { stampedBy: first.rootKey, forge: (_read, found) => found },
  )
  if (created.kind !== 'commit') throw new Error('this is allowed')
  // The test does not know the key, so it searches for the readable part that is sealed beside it.
  const sealed = created.commit.records.map((record) => Buffer.from(record.sealed ?? []).toString('latin1'))
  expect(sealed.some((text) => text.includes('searched for'))).toBe(false)
  const { publicKey } = generateApiKey()
  const made = await server.vault.createOrganization({
    organizationName: 'searched for',
    userName: 'u',
    userEmail: undefined,
    apiKeyName: 'k',
    apiPublicKey: publicKey,
  })
  const bytes = [...made.commit.heads, ...made.commit.records].map(({ sealed }) =>
    Buffer.from(sealed ?? []).toString('latin1'),
  )
  expect(bytes.some((text) => text.includes('searched for'))).toBe(false)
  // The answer stays with the vault until the commit is confirmed.
  expect(created.outcome).toEqual({ of: 'held', decisionId: expect.any(String) })
  expect(Object.keys(created).sort()).toEqual(['commit', 'kind', 'outcome', 'userId'])
})
