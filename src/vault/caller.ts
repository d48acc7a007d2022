import type { Operation } from '../operations/define.ts'
import { type ApiKey, isExpired, type User } from '../operations/records.ts'
import { type ApiVerifyKey, importApiPublicKey } from '../protocol/api_keys.ts'
import { Failure } from '../protocol/failures.ts'
import { type ApiStamp, curveOfScheme, verifyApiStamp } from '../protocol/stamps.ts'
import type { Evidence } from './evidence.ts'
import type { Organization } from './organization.ts'

/** Who stamped a request: proved by the stamp over its very bytes and by the sealed user that has the key. */
export type Caller = {
  readonly stamp: ApiStamp
  readonly user: User
  /** The caller's own organization: the target, its parent, or the one sub-organization that the target stands for. */
  readonly organization: Organization
}

type Sources = {
  readonly evidence: Evidence
  readonly open: (organizationId: string) => Promise<Organization | undefined>
  readonly nowMs: number
}

const verifyKeys = new WeakMap<ApiKey, ApiVerifyKey>()

export async function identifyCaller(
  sources: Sources,
  { operation, target, stamp, body }: { operation: Operation; target: Organization; stamp: ApiStamp; body: Uint8Array },
): Promise<Caller> {
  const found = await findCredential(sources, { operation, target, stamp })
  if (!(await verifyApiStamp({ stamp, key: verifyKeyOf(found.apiKey), body }))) throw new Failure('STAMP_INVALID')
  if (isExpired(found.apiKey, sources.nowMs)) throw new Failure('CREDENTIAL_EXPIRED')
  return { stamp, user: found.user, organization: found.organization }
}

type Credential = Omit<Caller, 'stamp'> & { readonly apiKey: ApiKey }

/** In the target, then in its parent, then, where the operation allows it, in the one sub-organization that has it. */
async function findCredential(
  { evidence, open }: Sources,
  { operation, target, stamp }: { operation: Operation; target: Organization; stamp: ApiStamp },
): Promise<Credential> {
  const own = credentialIn(evidence, target, stamp)
  if (own !== undefined) return own
  const { parentId, organizationId } = target.head
  if (parentId !== undefined) {
    const parent = await open(parentId)
    const found = parent === undefined ? undefined : credentialIn(evidence, parent, stamp)
    if (found !== undefined) return found
  } else if (operation.kind === 'query' && operation.resolvesSubOrganization) {
    const read = {
      read: 'holders',
      parentId: organizationId,
      lookup: 'credential',
      key: stamp.publicKey,
      limit: 2,
    } as const
    const children: Credential[] = []
    for (const row of evidence.find(read).rows ?? []) {
      const child = await open(row.organizationId)
      if (child?.head.parentId !== organizationId) continue
      const found = credentialOf(child, row.recordId, stamp)
      if (found !== undefined) children.push(found)
    }
    const [only, another] = children
    if (another !== undefined) throw new Failure('CREDENTIAL_AMBIGUOUS')
    if (only !== undefined) return only
  }
  throw new Failure('CREDENTIAL_NOT_FOUND')
}

function credentialIn(evidence: Evidence, organization: Organization, stamp: ApiStamp): Credential | undefined {
  const { organizationId } = organization.head
  const { rows } = evidence.find({ read: 'lookup', organizationId, lookup: 'credential', key: stamp.publicKey })
  for (const { kind, recordId } of rows) {
    const found = kind === 'user' ? credentialOf(organization, recordId, stamp) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** The lookup is a hint: the sealed user must have the key, on the curve that the stamp's scheme is for. */
function credentialOf(organization: Organization, userId: string, stamp: ApiStamp): Credential | undefined {
  const user = organization.listed('user', userId)
  const curveType = curveOfScheme(stamp.scheme)
  const apiKey = user?.apiKeys.find((key) => key.publicKey === stamp.publicKey && key.curveType === curveType)
  return user === undefined || apiKey === undefined ? undefined : { user, organization, apiKey }
}

/** Importing a key costs twice what verifying with it does; a parsed user is cached, and its keys with it. */
function verifyKeyOf(apiKey: ApiKey): ApiVerifyKey {
  const known = verifyKeys.get(apiKey)
  if (known !== undefined) return known
  const imported = importApiPublicKey(apiKey)
  verifyKeys.set(apiKey, imported)
  return imported
}
