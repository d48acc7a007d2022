import { findOperation } from '../../../src/operations/catalogue.ts'
import { fingerprintOf, requestKeyOf } from '../../../src/protocol/wire/fingerprint.ts'
import type { Request } from '../../../src/service/requests/request.ts'
import type { Chance } from '../histories/schedule.ts'
import { apiKeyOf } from '../stamping.ts'
import { type Action, weighted, weightsBy } from './actions.ts'
import { type Furnished, type Member, transfers } from './furnished.ts'
import { type SeededKey, seededKey, seededSecretHex, stampBy } from './stamps.ts'

/** A request as a client made it, which may be sent many times. */
export type Sent = {
  readonly request: Request
  readonly name: string
  readonly organizationId: string
  readonly parameters: Parameters
  /** The public key that stamped it, and the user who has the key. */
  readonly by: string
  readonly userId: string
  readonly requestKey: string
  readonly fingerprint: string
  /** The nodes to which these bytes, and votes on them, were sent so far. */
  readonly nodes: Set<number>
  /** The public keys that it deletes. */
  readonly deletes: readonly string[]
}

export type Parameters = Readonly<Record<string, unknown>>

type Given = { readonly chance: Chance; readonly nowMs: () => number; readonly world: Furnished }
type By = { readonly userId: string; readonly key: SeededKey }
type Part = Pick<Member, 'userId' | 'key'>

/** What clients of one history do at random. */
export function createClients({ chance, nowMs, world }: Given) {
  const wants = weightsBy(chance)
  const { parentId, childId, members, worker, spender, counted, address, passcode, tokens } = world
  const made: Sent[] = []
  const nodesOf = new Map<string, Set<number>>()
  /** Keys that may be deleted, by public key. */
  const spare = new Map(
    [...members, worker].flatMap(({ userId, spare: keys }) =>
      keys.map(({ key, apiKeyId }) => [key.publicKey, { userId, key, apiKeyId }] as const),
    ),
  )
  const added = new Map<string, SeededKey>()
  /** Activities that an answer showed as waiting, by fingerprint. */
  const known = new Map<string, Sent>()
  let count = 0

  function activity(
    name: string,
    parameters: Parameters,
    by: By,
    {
      organizationId = parentId,
      type,
      deletes = [],
    }: { organizationId?: string; type?: string; deletes?: string[] } = {},
  ): Sent {
    const operation = findOperation(`/public/v1/submit/${name}`)
    if (operation?.kind !== 'activity') throw new Error(`${name} is not an activity`)
    count += 1
    // No two have the same bytes.
    const timestampMs = nowMs() - count
    const body = {
      type: type ?? operation.types[0]?.type,
      timestampMs: String(timestampMs),
      organizationId,
      parameters,
    }
    return sent({ path: `/public/v1/submit/${name}`, body, timestampMs, name, parameters, organizationId, by, deletes })
  }

  function query(name: string, parameters: Parameters, by: By, organizationId = parentId): Sent {
    const body = { organizationId, ...parameters }
    const path = `/public/v1/query/${name}`
    return sent({ path, body, timestampMs: 0, name, parameters, organizationId, by, deletes: [] })
  }

  type Making = Pick<Sent, 'name' | 'parameters' | 'organizationId' | 'deletes'>
  function sent({
    path,
    body,
    timestampMs,
    by,
    ...given
  }: Making & { path: string; body: object; timestampMs: number; by: By }): Sent {
    const bytes = new Uint8Array(Buffer.from(JSON.stringify(body)))
    return stamped({ ...given, path, bytes, timestampMs, by })
  }

  type Stamping = Making & { path: string; bytes: Uint8Array; timestampMs: number; by: By }
  function stamped({ path, bytes, timestampMs, by, ...given }: Stamping): Sent {
    const fingerprint = fingerprintOf(bytes)
    const nodes = nodesOf.get(fingerprint) ?? new Set()
    nodesOf.set(fingerprint, nodes)
    const stamps = [{ header: 'x-stamp', value: stampBy(by.key, bytes) }] as const
    const request: Request = { path, body: bytes, stamps, dialect: 'spec', sourceAddress: '127.0.0.1' }
    const { userId, key } = by
    const requestKey = requestKeyOf(timestampMs, fingerprint)
    return { ...given, request, by: key.publicKey, userId, fingerprint, requestKey, nodes }
  }

  const anyMember = () => chance.pick(members)
  /** A key of a user, which perhaps is deleted. */
  function anyKeyOf({ userId, key }: Part): By {
    const own = [...spare.values()].filter((each) => each.userId === userId)
    return chance.happens(0.3) ? { userId, key } : chance.pick([{ userId, key }, ...own])
  }

  /** An activity that waits for votes, or did. */
  function waiting(): Sent | undefined {
    if (known.size > 0 && chance.happens(0.8)) return chance.pick([...known.values()].slice(-3))
    const all = made.filter((each) => each.request.path.includes('/submit/') && !each.name.endsWith('_activity'))
    const asked = all.filter(({ userId, organizationId }) => organizationId === parentId && isMember(userId))
    return asked.length === 0 ? undefined : chance.pick(asked.slice(-4))
  }

  function isMember(userId: string): boolean {
    return members.some((member) => member.userId === userId)
  }

  const does: { readonly [A in Action]: () => Sent | undefined } = {
    sign() {
      const by = anyKeyOf(chance.happens(0.7) ? worker : anyMember())
      const payload = {
        payload: `${count}`,
        encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
        hashFunction: 'HASH_FUNCTION_SHA256',
      }
      return activity('sign_raw_payload', { signWith: address, ...payload }, by)
    },
    revoke() {
      const { userId, key, apiKeyId } = chance.pick([...spare.values()])
      const owner = [...members, worker].find((each) => each.userId === userId) ?? worker
      const by = chance.happens(0.7) ? owner : anyMember()
      return activity('delete_api_keys', { userId, apiKeyIds: [apiKeyId] }, by, { deletes: [key.publicKey] })
    },
    'add a key'() {
      const owner = chance.pick([worker, ...members])
      const key = seededKey(`new ${added.size}`)
      const { publicKey } = key
      added.set(publicKey, key)
      const apiKeys = [{ apiKeyName: `new ${count}`, publicKey, curveType: 'API_KEY_CURVE_SECP256K1' }]
      return activity('create_api_keys', { userId: owner.userId, apiKeys }, chance.happens(0.7) ? owner : anyMember())
    },
    quorum() {
      const several = members.filter(() => chance.happens(0.6))
      const userIds = (several.length === 0 ? [anyMember()] : several).map(({ userId }) => userId)
      return activity('update_root_quorum', { threshold: 1 + chance.below(userIds.length), userIds }, anyMember())
    },
    vote() {
      const voted = waiting()
      const name = chance.happens(0.85) ? 'approve_activity' : 'reject_activity'
      return voted && votesOn(voted, activity(name, { fingerprint: voted.fingerprint }, anyKeyOf(anyMember())))
    },
    'approve by the same bytes'() {
      const voted = waiting()
      if (voted === undefined) return undefined
      const { request, name, parameters, organizationId, deletes } = voted
      const { timestampMs } = JSON.parse(Buffer.from(request.body).toString('utf8'))
      const given = { path: request.path, bytes: request.body, timestampMs: Number(timestampMs) }
      return stamped({ ...given, name, parameters, organizationId, deletes, by: anyKeyOf(anyMember()) })
    },
    guess() {
      const { otpId, code } = passcode
      const wrong = String((Number(code) + 1 + count) % 1_000_000).padStart(6, '0')
      const parameters = { otpId, otpCode: chance.happens(0.3) ? code : wrong }
      return activity('verify_otp', parameters, byChild(), {
        organizationId: childId,
        type: 'ACTIVITY_TYPE_VERIFY_OTP',
      })
    },
    'log in'() {
      const { publicKey } = sessionKey(count % 32)
      const parameters = { verificationToken: chance.pick(tokens), publicKey }
      return activity('otp_login', parameters, byChild(), { organizationId: childId, type: 'ACTIVITY_TYPE_OTP_LOGIN' })
    },
    spend: () => spending(spender),
    'spend under a control': () => spending(counted),
    'sub-organization'() {
      const rootUsers = [{ userName: 'root', apiKeys: [], authenticators: [], oauthProviders: [] }]
      const user = {
        ...rootUsers[0],
        apiKeys: [
          { apiKeyName: 'k', publicKey: seededKey('of children').publicKey, curveType: 'API_KEY_CURVE_SECP256K1' },
        ],
      }
      const parameters = { subOrganizationName: `child ${count}`, rootUsers: [user], rootQuorumThreshold: 1 }
      return activity('create_sub_organization', parameters, anyMember())
    },
    tag: () => activity('create_user_tag', { userTagName: `tag ${count}`, userIds: [] }, anyMember()),
    'import target': () => activity('init_import_private_key', { userId: worker.userId }, anyMember()),
    tags: () => query('list_user_tags', {}, anyMember()),
    activities: () =>
      query('list_activities', { paginationOptions: { limit: '100' } }, anyMember(), chance.pick([parentId, childId])),
    keys: () => query('get_api_keys', { userId: worker.userId }, anyMember()),
    configuration: () => query('get_organization_configs', {}, anyMember()),
  }

  /** The child's own user, or a member of the parent with any key. */
  function byChild(): By {
    return chance.happens(0.4) ? { userId: 'child', key: seededKey('child') } : anyKeyOf(anyMember())
  }

  function spending(by: By): Sent {
    const { unsignedTransaction } = chance.pick(transfers)
    return activity(
      'sign_transaction',
      { signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
      by,
    )
  }

  function twoOfThree(): Parameters {
    return { threshold: 2, userIds: members.map(({ userId }) => userId) }
  }

  function first(sent: Sent): Sent {
    made.push(sent)
    return sent
  }

  /** A vote concerns the activity on which it is. */
  function votesOn(voted: Sent, vote: Sent): Sent {
    return { ...vote, nodes: voted.nodes }
  }

  return {
    made,
    query,
    activity,
    /** A new request, or one that was made before. */
    next(): Sent | undefined {
      if (made.length === 0 && (wants.get('vote') ?? 0) > 0)
        return first(activity('update_root_quorum', twoOfThree(), anyMember()))
      if (made.length > 0 && chance.happens(0.35)) return chance.pick(made.slice(-12))
      const next = does[weighted(chance, wants)]()
      if (next !== undefined) made.push(next)
      return next
    },
    /** Learns from an answer what waits for votes, and the ids of new keys. */
    learn(sent: Sent, body: ReturnType<typeof JSON.parse>): void {
      const { name, parameters, userId, fingerprint } = sent
      const isWaiting = body.activity?.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
      if (isWaiting && body.activity.fingerprint === fingerprint) known.set(fingerprint, sent)
      const apiKeyId = body.activity?.result?.createApiKeysResult?.apiKeyIds?.[0]
      if (name !== 'create_api_keys' || apiKeyId === undefined) return
      const { publicKey } = (parameters.apiKeys as { publicKey: string }[])[0] ?? { publicKey: '' }
      const key = added.get(publicKey)
      if (key !== undefined) spare.set(publicKey, { userId: String(parameters.userId ?? userId), key, apiKeyId })
    },
  }
}

const sessions = new Map<number, { readonly publicKey: string }>()
function sessionKey(number: number): { readonly publicKey: string } {
  const key = sessions.get(number) ?? apiKeyOf(seededSecretHex(`session ${number}`))
  sessions.set(number, key)
  return key
}
