import type { Verification } from '../../deciding/caller/credential_stamps.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import type { AllowedOrigins } from '../../protocol/stamps/webauthn_data.ts'
import { webauthnOriginsOf } from '../../protocol/wire/feature_names.ts'
import type { Organization, Sources as OrganizationSources } from '../state/organization.ts'

export type StampSources = OrganizationSources & {
  readonly request: Pick<VaultRequest, 'body' | 'mayRecall'>
  readonly fingerprint: () => string
}

/**
 * Whether the stamp covers the body, by `verify` of its proof (`deciding/caller/credential_stamps.ts`). A decision that is
 * made again does not verify the same stamp again. A signature from memory is seldom decided again, so it is not remembered.
 */
export async function isVerified(
  sources: StampSources,
  { organization, proof }: { readonly organization: Organization; readonly proof: Verification },
): Promise<boolean> {
  const { request, services } = sources
  const { stamps } = services.cache
  const isRemembered = proof.stampKey !== undefined && request.mayRecall !== true
  const key = isRemembered ? `${proof.stampKey} ${sources.fingerprint()}` : undefined
  if (key !== undefined && stamps.get(key) === true) return true
  const isValid = await proof.verify(request.body, { allowedOrigins: () => allowedOriginsOf(organization) })
  if (isValid && key !== undefined) stamps.set(key, true, key.length)
  return isValid
}

/** The origins where passkeys of its users may be used: its own setting, else its parent's, else any origin. */
export function allowedOriginsOf(organization: Organization): AllowedOrigins {
  const own = originsOf(organization)
  const parent = own !== undefined ? undefined : organization.parent()
  return own ?? (parent && originsOf(parent)) ?? '*'
}

function originsOf(organization: Organization): AllowedOrigins | undefined {
  const feature = organization.listed('feature', 'FEATURE_NAME_WEBAUTHN_ORIGINS')
  const origins = feature?.value === undefined ? undefined : webauthnOriginsOf(feature.value)
  return origins && [...origins]
}
