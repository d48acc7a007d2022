import type { AuthProxy } from '../../contract/records/records.ts'
import { isEnabled } from '../../operations/auth_proxy/shared/auth_proxies.ts'
import { nobodyId } from '../../operations/auth_proxy/shared/nobody.ts'
import { isAllowedOrigin, type ProxiedName, type ProxiedRequest } from '../../protocol/wire/auth_proxy.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { isUuid } from '../../protocol/wire/identifiers.ts'
import { type Organization, openOrganization } from '../state/organization.ts'
import type { Caller } from './caller.ts'
import type { Reading } from './request_context.ts'

/** `nobodyId` is the id of no user, and none has these credentials. */
const nobodyName = 'auth proxy'
const unstampedScheme = 'SIGNATURE_SCHEME_UNSPECIFIED'

export type OpenProxy = { readonly organization: Organization; readonly proxy: AuthProxy }

/**
 * Opens the auth proxy of the organization. Its id is the id of the configuration, so no row of the database can lead to
 * another one. Throws unless the sealed configuration allows exactly this operation, from this origin.
 */
export function openProxy(
  context: Reading,
  { configId, origin }: Pick<ProxiedRequest, 'configId' | 'origin'>,
  name: ProxiedName,
): OpenProxy {
  const organizationId = configId.toLowerCase()
  const organization = isUuid(organizationId) ? openOrganization(context, organizationId) : undefined
  const proxy = organization?.listed('auth_proxy', organizationId)
  if (organization === undefined || proxy === undefined || !isEnabled(proxy)) {
    throw new Failure('NOT_FOUND', 'no organization has an auth proxy with this X-Auth-Proxy-Config-ID')
  }
  if (!proxy.operations.includes(name)) {
    throw new Failure('FORBIDDEN', `the auth proxy of this organization does not allow ${name}`)
  }
  if (!isAllowedOrigin(proxy.allowedOrigins, origin)) {
    const asked = origin === undefined ? 'requests without an origin' : 'this origin'
    throw new Failure('FORBIDDEN', `the auth proxy of this organization does not allow ${asked}`)
  }
  return { organization, proxy }
}

/** The auth proxy as a caller. It is nobody: no vote, no credential, no rule about a user fits it. */
export function proxyCaller(organization: Organization, nowMs: number): Caller {
  return {
    stamp: { publicKey: '', signature: '', scheme: unstampedScheme },
    ...{ uses: undefined, credentialType: undefined, sessionProfileId: undefined },
    ...{ method: undefined, openedBy: undefined, attested: undefined },
    isUnstamped: true,
    isOfAuthProxy: true,
    user: {
      ...{ userId: nobodyId, userName: nobodyName, createdAtMs: nowMs, updatedAtMs: nowMs },
      ...{ apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] },
    },
    organization,
  }
}
