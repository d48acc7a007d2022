import { serializeTransaction } from 'viem'
import { findOperation } from '../../../src/operations/catalogue.ts'
import { encodeLogEntry } from '../../../src/protocol/log/encode_entry.ts'
import { tileWidth } from '../../../src/protocol/log/tree/tiles.ts'
import type { Request } from '../../../src/service/requests/request.ts'
import { noId } from '../../../src/vault/books/booked_head.ts'
import { encodeLogged } from '../../../src/vault/books/transparency/journal_entries.ts'
import { createVaultState } from '../../../src/vault/keys/master_seed.ts'
import type { MemoryDisk } from '../histories/memory_journal.ts'
import { createChance, createSchedule } from '../histories/schedule.ts'
import { passcodeIn } from '../logins.ts'
import { newUser, newVelocityControl } from '../organization.ts'
import { apiKeyOf, stampWith } from '../stamping.ts'
import { createLogWitness } from './log_witness.ts'
import { crash, type Node, type Surroundings, startNode, unsealer } from './node.ts'
import { type SeededKey, seededKey, seededSecretHex, stampBy } from './stamps.ts'
import { bundleKey, commitTo, emptyTables, find, keepLogIn, logReadsIn, type Tables } from './tables.ts'

/** A user with a key that stays, and keys that may be deleted. */
export type Member = {
  readonly userId: string
  readonly key: SeededKey
  readonly spare: readonly { readonly key: SeededKey; readonly apiKeyId: string }[]
}

/** An organization and its sub-organization, with all that the clients of a history use. Each history has a copy. */
export type Furnished = {
  readonly tables: Tables
  readonly disks: readonly MemoryDisk[]
  /** The same, with transparency logs that soon have a whole bundle. */
  readonly fullerDisks: readonly MemoryDisk[]
  readonly vaultState: Uint8Array
  readonly parentId: string
  readonly childId: string
  readonly members: readonly [Member, Member, Member]
  /** Signs raw payloads. */
  readonly worker: Member
  /** Sends ether, within what a policy says by `spent`. */
  readonly spender: Member
  /** Sends ether, within what a velocity control says. */
  readonly counted: Member
  readonly address: string
  /** In the sub-organization. */
  readonly passcode: { readonly otpId: string; readonly code: string }
  readonly tokens: readonly string[]
}

export const startMs = 1_800_000_000_000
const missingToBundle = 2
export const spendingMax = 100n
export const transfers: readonly { readonly value: bigint; readonly unsignedTransaction: string }[] = Array.from(
  { length: 24 },
  (_, nonce) => {
    const value = [30n, 30n, 50n, 20n][nonce % 4] ?? 30n
    const to = `0x${'11'.repeat(20)}` as const
    return { value, unsignedTransaction: serializeTransaction({ type: 'eip1559', chainId: 1, nonce, value, to }) }
  },
)

const secp256k1 = ({ publicKey }: SeededKey, apiKeyName: string) => ({
  apiKeyName,
  publicKey,
  curveType: 'API_KEY_CURVE_SECP256K1',
})

let made: Promise<Furnished> | undefined

/** The same for every history of this process. */
export function furnished(): Promise<Furnished> {
  made ??= furnish()
  return made
}

type Result = ReturnType<typeof JSON.parse>

async function furnish(): Promise<Furnished> {
  const chance = createChance(0)
  const schedule = createSchedule(chance)
  const tables = emptyTables()
  let nowMs = startMs - 60_000
  let vaultState: Uint8Array = Uint8Array.of()
  const around: Surroundings = {
    ...{ chance, schedule, failures: () => 0, plants: {}, left() {}, counted() {}, happens() {} },
    nowMs: () => nowMs,
    vaultState: () => vaultState,
    storeOf: () => ({
      find: async (reads) => reads.map((read) => find(tables, read)),
      activityBytes: async () => 0,
      commit: async (commit) => commitTo(tables, commit),
      keepLog: async (kept) => keepLogIn(tables, kept),
      logBundle: async (key) => tables.bundles.get(bundleKey(key)),
      ...logReadsIn(tables),
    }),
    incident: fail,
    broken: fail,
  }
  vaultState = await createVaultState(unsealer, chance.bytes)
  const disks: readonly MemoryDisk[] = [{ payloads: [] }, { payloads: [] }]
  const nodes: Node[] = []
  for (const [number, disk] of disks.entries()) nodes.push(await startNode(around, number, disk))
  const [first] = nodes
  if (first === undefined) throw new Error('there are nodes')

  /** Steps until the promise settles. */
  async function settled<T>(asked: Promise<T>): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    asked.then(over, over)
    while (!isOver) await schedule.step()
    return asked
  }

  async function ask(node: Node, request: Request): Promise<Result> {
    const { status, body } = await settled(node.service.submit(request))
    const text = Buffer.from(body).toString('utf8')
    if (status !== 200) throw new Error(`${request.path}: ${status} ${text}`)
    return JSON.parse(text)
  }

  function requestOf(name: string, body: object, stamp: (bytes: Uint8Array) => string): Request {
    const bytes = new Uint8Array(Buffer.from(JSON.stringify(body)))
    const stamps = [{ header: 'x-stamp', value: stamp(bytes) }] as const
    return { path: `/public/v1/${name}`, body: bytes, stamps, dialect: 'spec', sourceAddress: '127.0.0.1' }
  }

  async function done(organizationId: string, name: string, parameters: object, by: Signer, type?: string) {
    const operation = findOperation(`/public/v1/submit/${name}`)
    if (operation?.kind !== 'activity') throw new Error(`${name} is not an activity`)
    nowMs += 10
    const body = { type: type ?? operation.types[0]?.type, timestampMs: String(nowMs), organizationId, parameters }
    const { activity } = await ask(first as Node, requestOf(`submit/${name}`, body, by))
    return Object.values(activity.result)[0] as Result
  }

  const firstKey = apiKeyOf(seededSecretHex('first'))
  const { organizationId: parentId, ...root } = await settled(createFirst(first, firstKey.publicKey))
  const byFirst: Signer = (bytes) => stampWith(firstKey, bytes)
  const inParent = (name: string, parameters: object) => done(parentId, name, parameters, byFirst)

  async function memberOf(name: string, userId: string): Promise<Member> {
    const body = { organizationId: parentId, userId }
    const { apiKeys } = await ask(first as Node, requestOf('query/get_api_keys', body, byFirst))
    const idOf = ({ publicKey }: SeededKey) =>
      apiKeys.find((apiKey: Result) => apiKey.credential.publicKey === publicKey).apiKeyId
    const spare = ['a', 'b'].map((part) => seededKey(`${name} ${part}`)).map((key) => ({ key, apiKeyId: idOf(key) }))
    return { userId, key: seededKey(name), spare }
  }

  const keysOf = (name: string) => [name, `${name} a`, `${name} b`].map((each) => secp256k1(seededKey(each), each))
  await inParent('create_api_keys', { userId: root.userId, apiKeys: keysOf('root') })
  const names = ['second', 'third', 'worker', 'spender', 'counted']
  const users = names.map((userName) => newUser({ userName, apiKeys: keysOf(userName) }))
  const { userIds } = await inParent('create_users', { users })
  const found: Member[] = []
  for (const [index, name] of ['root', ...names].entries()) {
    found.push(await memberOf(name, [root.userId, ...userIds][index]))
  }
  const [rootMember, second, third, worker, spender, counted] = found
  if (!(rootMember && second && third && worker && spender && counted)) throw new Error('there are six users')
  const members = [rootMember, second, third] as const
  await inParent('update_root_quorum', { threshold: 1, userIds: members.map(({ userId }) => userId) })

  const privateKey = { privateKeyName: 'hot', curve: 'CURVE_SECP256K1', privateKeyTags: [] }
  const privateKeys = [{ ...privateKey, addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] }]
  const keys = await inParent('create_private_keys', { privateKeys })
  const address: string = keys.privateKeys[0].addresses[0].address

  const control = { aggregation: { threshold: '0.0000000000000001', groupBy: { user: {} } } }
  await inParent('create_velocity_control', newVelocityControl(control))
  const signs = "activity.kind == 'SIGN_TRANSACTION'"
  for (const [user, condition] of [
    [worker, "activity.kind == 'SIGN_RAW_PAYLOAD'"],
    [spender, `${signs} && spent('eth.tx.value', '24h') + eth.tx.value <= ${spendingMax}`],
    [counted, `${signs} && controls.daily`],
  ] as const) {
    const consensus = `approvers.any(user, user.id == '${user.userId}')`
    const policy = { policyName: user.userId, effect: 'EFFECT_ALLOW', consensus, condition, notes: '' }
    await inParent('create_policy', policy)
  }

  const contact = 'ada@example.org'
  const child = { userName: 'ada', userEmail: contact, apiKeys: [secp256k1(seededKey('child'), 'child')] }
  const rootUsers = [{ ...child, authenticators: [], oauthProviders: [] }]
  const sub = { subOrganizationName: 'child', rootUsers, rootQuorumThreshold: 1 }
  const { subOrganizationId: childId } = await inParent('create_sub_organization', sub)
  const byChild: Signer = (bytes) => stampBy(seededKey('child'), bytes)

  async function sentPasscode() {
    const start = { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Test', otpLength: 6, alphanumeric: false }
    const { otpId } = await done(childId, 'init_otp', start, byChild)
    const row = [...tables.outbox.values()].at(-1)
    const opened = row && (await first?.vault.whole.openMessage({ ...row, presented: [] }))
    if (opened?.kind !== 'message' || opened.message.channel === 'webhook') throw new Error('there is a message')
    return { otpId: String(otpId), code: passcodeIn(opened.message.text) }
  }

  const { otpId, code: otpCode } = await sentPasscode()
  const older = 'ACTIVITY_TYPE_VERIFY_OTP'
  const verified = await done(childId, 'verify_otp', { otpId, otpCode }, byChild, older)
  const passcode = await sentPasscode()

  // The second node sees both heads, so that they are on its books.
  nowMs = startMs
  for (const node of nodes) {
    for (const [organizationId, by] of [
      [parentId, byFirst],
      [childId, byChild],
    ] as const) {
      await ask(node, requestOf('query/whoami', { organizationId }, by))
    }
    await crash(around, node, { withService: true })
  }
  return {
    ...{ tables, vaultState, parentId, childId, members, worker, spender, counted, address, passcode },
    disks,
    fullerDisks: disks.map(filled),
    tokens: [verified.verificationToken],
  }

  async function createFirst(node: Node, apiPublicKey: string) {
    const given = { organizationName: 'First', userName: 'root', userEmail: undefined, apiKeyName: 'first' }
    const answer = await node.vault.whole.createOrganization({ ...given, apiPublicKey })
    commitTo(tables, answer.commit)
    await node.vault.whole.confirm(answer)
    return answer
  }
}

type Signer = (bytes: Uint8Array) => string

/** A disk whose log has entries of an organization of its own, up to some before its first bundle is whole. */
function filled(disk: MemoryDisk): MemoryDisk {
  const witness = createLogWitness(disk, { happens() {}, digestOf: () => '' })
  witness.died({ powerWasLost: false })
  const from = witness.entries().length
  const fact = {
    ...{ atMs: startMs, organizationId: '00000000-0000-7000-8000-000000000000', activity: undefined },
    ...{ changeKey: noId, restsOn: undefined, makes: undefined },
  }
  const entries = Array.from({ length: tileWidth - missingToBundle - from }, (_, at) =>
    encodeLogged({
      index: from + at,
      entry: encodeLogEntry({ ...fact, number: at + 1, before: at === 0 ? undefined : from + at - 1 }),
    }),
  )
  return { ...disk, payloads: [...disk.payloads, Buffer.concat(entries)] }
}

function fail(cause: unknown): never {
  throw new Error('the organization could not be furnished', { cause })
}
