import { type Activity, isFinal } from '../../../src/contract/records/activity.ts'
import { passcodeAttemptsMax } from '../../../src/contract/records/counted_kinds.ts'
import type { VaultRequest } from '../../../src/link/verbs.ts'
import { openTargetsMax } from '../../../src/operations/private_keys/shared/import_targets.ts'
import type { Commit } from '../../../src/protocol/reads.ts'
import { fingerprintOf } from '../../../src/protocol/wire/fingerprint.ts'
import type { Request } from '../../../src/service/requests/request.ts'
import { countNameOf } from '../../../src/vault/books/entry_names.ts'
import type { Sent } from './clients.ts'
import { type Furnished, spendingMax, transfers } from './furnished.ts'

type Json = ReturnType<typeof JSON.parse>
/** When something began, in the order of all that the witness saw. */
export type Began = { readonly at: number }
type Left = { readonly status: number; readonly body: Uint8Array }
type Fact = { readonly at: number; readonly node: number }

/** An activity as an answer showed it. */
type Acknowledged = {
  readonly at: number
  readonly activityId: string
  readonly status: Activity['status']
  readonly result: string
}

/**
 * Sees requests, the answers that leave a vault and those that reach a client, and the commits of an honest database.
 * Throws when a promise is broken. A lying database may keep nodes apart: each node's promises then hold for what was
 * asked of that node alone.
 */
export type Witness = {
  begins(): Began
  /** `began`: when the service got the request. */
  answered(began: Began, sent: Sent, node: number, answer: { readonly status: number; readonly body: Json }): void
  left(node: number, request: VaultRequest, answer: Left): void
  carriedOut(commit: Commit): void
  counted(name: string): void
  /** The commits that an honest database carried out, in order. */
  readonly commits: readonly Commit[]
  readonly acknowledged: ReadonlyMap<string, Acknowledged>
}

export function createWitness(
  world: Furnished,
  {
    isLying,
    submissionOf,
  }: { readonly isLying: boolean; readonly submissionOf: (fingerprint: string) => Sent | undefined },
): Witness {
  let at = 0
  const commits: Commit[] = []
  const revoked: (Fact & { readonly key: string; readonly sent: Sent })[] = []
  const tags: (Fact & { readonly name: string })[] = []
  const acknowledged = new Map<string, Acknowledged>()
  /** What left the vault of each node, and what clients were told. */
  const limits = [createLimits(world), createLimits(world)]
  const limitsOfAll = createLimits(world)
  let attempts = 0
  const openTargets = new Set<string>()
  const counts = new Set<string>()

  /** Whether a fact holds for what this node shows to a request that began then. */
  function binds({ at: since, node: where }: Fact, node: number, began: Began): boolean {
    return since < began.at && (!isLying || where === node)
  }

  function isOfNode(sent: Sent, node: number): boolean {
    return !isLying || (sent.nodes.size === 1 && sent.nodes.has(node))
  }

  function requireNotRevoked(began: Began, sent: Sent, node: number): void {
    const revocation = revoked.find((each) => each.key === sent.by && binds(each, node, began))
    if (revocation === undefined || revocation.sent.fingerprint === sent.fingerprint) return
    throw new Error(`${sent.name} was done with a key whose deletion was acknowledged before`)
  }

  function acknowledge(began: Began, node: number, activity: Json): void {
    const sent = submissionOf(activity.fingerprint)
    if (sent === undefined) return
    const { id: activityId, status } = activity
    const result = JSON.stringify(activity.result)
    const before = acknowledged.get(sent.fingerprint)
    const isPromise = isOfNode(sent, node)
    if (before !== undefined && !isLying) {
      if (before.activityId !== activityId) throw new Error(`${sent.name}: the same bytes are two activities`)
      const isAfter = before.at < began.at
      if (isAfter && isFinal(before.status) && (before.status !== status || isOtherResult(before.result, result)))
        throw new Error(`${sent.name} was ${before.status} and is ${status}`)
    }
    if (before === undefined || !isFinal(before.status))
      acknowledged.set(sent.fingerprint, { at, activityId, status, result })
    if (!isPromise || status !== 'ACTIVITY_STATUS_COMPLETED') return
    at += 1
    for (const key of sent.deletes) revoked.push({ at, node, key, sent })
    if (sent.name === 'create_user_tag') tags.push({ at, node, name: String(sent.parameters.userTagName) })
  }

  return {
    commits,
    acknowledged,

    begins() {
      at += 1
      return { at }
    },

    answered(began, sent, node, { status, body }) {
      at += 1
      if (!isLying && status >= 500 && status !== 503) throw new Error(`${sent.name}: ${status}`)
      if (!isLying) limitsOfAll.count(sent.request, { status, body })
      if (status !== 200) return
      requireNotRevoked(began, sent, node)
      if (body.activity !== undefined) acknowledge(began, node, body.activity)
      for (const activity of body.activities ?? []) acknowledge(began, node, activity)
      if (body.userTags !== undefined) {
        const shown = new Set(body.userTags.map(({ tagName }: Json) => tagName))
        const missing = tags.find((tag) => binds(tag, node, began) && !shown.has(tag.name))
        if (missing !== undefined) throw new Error(`${missing.name} was acknowledged and is not shown`)
      }
    },

    counted(name) {
      counts.add(name)
    },

    left(node, request, { status, body }) {
      if (!mayCount(request.path)) return
      limits[node]?.count(request, { status, body: jsonOf(body) })
      if (request.path.endsWith('verify_otp')) limits[node]?.countComparison(fingerprintOf(request.body))
    },

    carriedOut(commit) {
      commits.push(commit)
      // Each comparison with the passcode changes its record, and no answer tells of one before that.
      const compared = commit.records.filter(({ recordId }) => recordId === world.passcode.otpId)
      attempts += compared.length
      if (attempts > passcodeAttemptsMax) throw new Error(`a passcode was compared ${attempts} times`)
      for (const { lookup, change, recordId } of commit.lookups) {
        if (lookup !== 'import_target') continue
        if (change === 'add') openTargets.add(recordId)
        else openTargets.delete(recordId)
      }
      // A decision that was not written has perhaps used one up on the books.
      const open = [...openTargets].filter(
        (id) => !counts.has(countNameOf(world.parentId, ['import_target', id, 'use'])),
      )
      if (open.length > openTargetsMax) throw new Error(`${open.length} targets of imports are open for one user`)
    },
  }
}

/** Others than the submitter see an empty result. */
function isOtherResult(before: string, now: string): boolean {
  return before !== now && before.length === now.length
}

type Limits = {
  count(request: Request, answer: { readonly status: number; readonly body: Json }): void
  /** A vault compared the passcode with the guess of a request, and lets the outcome out. */
  countComparison(fingerprint: string): void
}

const mayCount = (path: string) => /[/](sign_transaction|otp_login|verify_otp)$/.test(path)
const jsonOf = (bytes: Uint8Array): Json => JSON.parse(Buffer.from(bytes).toString('utf8'))

/** Counts what one vault let out, or what clients were told by all nodes on an honest database. */
function createLimits({ spender, counted, tokens }: Furnished): Limits {
  const spent = new Map<string, Map<string, bigint>>()
  const logins = new Map<string, Set<string>>()
  const right = new Set<string>()
  const compared = new Set<string>()
  const spenders: readonly string[] = [spender, counted].map(({ key }) => key.publicKey)

  function countSpending(by: string, fingerprint: string, unsignedTransaction: string): void {
    const transfer = transfers.find((each) => each.unsignedTransaction === unsignedTransaction)
    const own = spent.get(by) ?? new Map<string, bigint>()
    spent.set(by, own.set(fingerprint, transfer?.value ?? 0n))
    const sum = [...own.values()].reduce((before, value) => before + value, 0n)
    if (sum > spendingMax) throw new Error(`${sum} is more than the limit`)
  }

  function countLogin(token: string, fingerprint: string): void {
    if (!tokens.includes(token)) return
    const uses = (logins.get(token) ?? new Set()).add(fingerprint)
    logins.set(token, uses)
    if (uses.size > 1) throw new Error('a token logged in twice')
  }

  function countRight(fingerprint: string): void {
    right.add(fingerprint)
    if (right.size > 1) throw new Error('a passcode was taken twice')
  }

  return {
    countComparison(fingerprint) {
      compared.add(fingerprint)
      if (compared.size > passcodeAttemptsMax) throw new Error(`a passcode was compared ${compared.size} times`)
    },

    count({ path, body: bytes, stamps }, { status, body }) {
      if (!mayCount(path)) return
      const { parameters } = jsonOf(bytes)
      const fingerprint = fingerprintOf(bytes)
      const isDone = status === 200 && body.activity.status === 'ACTIVITY_STATUS_COMPLETED'
      if (path.endsWith('sign_transaction')) {
        const { publicKey } = JSON.parse(Buffer.from(stamps[0]?.value ?? '', 'base64url').toString())
        if (isDone && spenders.includes(publicKey))
          countSpending(publicKey, fingerprint, parameters.unsignedTransaction)
      } else if (path.endsWith('otp_login')) {
        if (isDone) countLogin(parameters.verificationToken, fingerprint)
      } else if (isDone) countRight(fingerprint)
    },
  }
}
