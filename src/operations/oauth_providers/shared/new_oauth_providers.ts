import Type from 'typebox'
import type { ActivityContext, OrganizationWriter } from '../../../contract/define.ts'
import { Label, namedFields, optional } from '../../../contract/fields/fields.ts'
import { named } from '../../../contract/fields/named.ts'
import type { Limits } from '../../../contract/limits.ts'
import { lookup, type Need } from '../../../contract/needs.ts'
import type { OidcToken } from '../../../contract/oidc.ts'
import type { OauthProvider, User, WithoutTimes } from '../../../contract/records/records.ts'
import {
  claimCharactersMax,
  idTokenCharactersMax,
  oidcIdentityKey,
  subjectCharactersMax,
  type TokenSubject,
  unverifiedSubject,
} from '../../../protocol/tokens/id_tokens.ts'
import { Failure, fieldInvalid } from '../../../protocol/wire/failures.ts'

export const oauthProvidersPerUserRequestMax = 20

export const IdToken = Type.String({
  minLength: 1,
  maxLength: idTokenCharactersMax,
  expected: 'an ID token of an OpenID Connect issuer',
  ...named('IdToken'),
})

function claim(charactersMax: number) {
  return Type.String({
    minLength: 1,
    maxLength: charactersMax,
    expected: `a text of 1 to ${charactersMax} characters, as in the token`,
  })
}

export const NewOauthProvider = namedFields('OauthProviderParamsV2', {
  providerName: Label,
  oidcToken: optional(IdToken),
  oidcClaims: optional(
    namedFields('OidcClaims', {
      iss: claim(claimCharactersMax),
      sub: claim(subjectCharactersMax),
      aud: claim(claimCharactersMax),
    }),
  ),
})
/** A provider in older types, in which each comes with a token. */
export const FirstNewOauthProvider = namedFields('OauthProviderParams', { providerName: Label, oidcToken: IdToken })

/** A new provider of a user in the parameters of any operation. */
export type GivenOauthProvider = Type.Static<typeof NewOauthProvider>

const linked = 'the iss and sub of an oidcToken in the same list: claims only name further audiences of one identity'

/** Checks that each provider has either a token or claims, and that claims come with a token in the same list. */
export function checkOauthProviders(given: readonly GivenOauthProvider[], fieldPath: string): void {
  const hasToken = given.some(({ oidcToken }) => oidcToken !== undefined)
  given.forEach(({ oidcToken, oidcClaims }, index) => {
    const at = `${fieldPath}[${index}]`
    if ((oidcToken === undefined) === (oidcClaims === undefined)) {
      throw fieldInvalid(at, 'with either oidcToken or oidcClaims')
    }
    if (oidcClaims === undefined || hasToken) return
    throw fieldInvalid(`${at}.oidcClaims`, linked)
  })
}

/** The tokens of the given providers, each with its place in the body. */
export function oidcTokensOf(given: readonly GivenOauthProvider[], fieldPath: string): readonly OidcToken[] {
  return given.flatMap(({ oidcToken }, index) =>
    oidcToken === undefined ? [] : [{ token: oidcToken, fieldPath: `${fieldPath}[${index}].oidcToken` }],
  )
}

/** Looks up who has these identities already. An unreadable token is skipped: its verification refuses it later. */
export function identityReads(given: readonly Omit<GivenOauthProvider, 'providerName'>[]): readonly Need[] {
  return given.flatMap(({ oidcToken, oidcClaims }) => {
    const identity = oidcToken === undefined ? oidcClaims && identityOf(oidcClaims) : unverifiedSubject(oidcToken)
    return identity === undefined ? [] : [lookup('oidc_identity', oidcIdentityKey(identity))]
  })
}

type Circumstances = Pick<ActivityContext<unknown>, 'oidcIdentity' | 'oidcAudiences' | 'limits' | 'nowMs' | 'newId'> & {
  readonly fieldPath: string
  /** The organization in which the identities must be new; undefined if it is new itself. */
  readonly organization: Pick<OrganizationWriter, 'found'> | undefined
  /** Identities that the request has named so far. */
  readonly seen?: Set<string>
}

/** Makes providers that `checkOauthProviders` has passed. Throws OAUTH_PROVIDER_TAKEN. */
export function newOauthProviders(
  given: readonly GivenOauthProvider[],
  {
    fieldPath,
    organization,
    seen = new Set(),
    oidcIdentity,
    oidcAudiences,
    nowMs,
    newId,
  }: Omit<Circumstances, 'limits'>,
): readonly OauthProvider[] {
  const identities = given.map(({ oidcToken, oidcClaims }) =>
    oidcClaims === undefined ? oidcIdentity(oidcToken ?? '') : identityOf(oidcClaims),
  )
  const attested = identities.filter((_, index) => given[index]?.oidcToken !== undefined)
  return identities.map((identity, index) => {
    const { issuer, audience, subject } = identity
    const at = `${fieldPath}[${index}]`
    if (given[index]?.oidcClaims !== undefined) requireLinked(identity, attested, { at, oidcAudiences })
    const key = oidcIdentityKey({ issuer, audience, subject })
    const isTaken = seen.has(key) || (organization?.found('user', 'oidc_identity', key) ?? []).length > 0
    if (isTaken) throw new Failure('OAUTH_PROVIDER_TAKEN', { fieldPath: at })
    seen.add(key)
    const providerName = given[index]?.providerName ?? ''
    return { providerId: newId(), providerName, issuer, audience, subject, createdAtMs: nowMs, updatedAtMs: nowMs }
  })
}

/**
 * A token vouches for further audiences only if its own client and the claimed one are apps of the operator. Issuers
 * tell every client the same subject, and the owner of any client has such a token of each of its users.
 */
function requireLinked(
  claimed: TokenSubject,
  attested: readonly TokenSubject[],
  { at, oidcAudiences }: Pick<Circumstances, 'oidcAudiences'> & { readonly at: string },
): void {
  const isListed = ({ audience }: TokenSubject) => oidcAudiences.includes(audience)
  const vouching = attested.filter(({ issuer, subject }) => issuer === claimed.issuer && subject === claimed.subject)
  if (isListed(claimed) && vouching.some(isListed)) return
  const expected =
    vouching.length === 0 ? linked : 'of a client in CLAVIGER_OIDC_AUDIENCES, like the token that vouches for them'
  throw fieldInvalid(`${at}.oidcClaims`, expected)
}

/** Adds providers to a user. Throws LIMIT_REACHED for more than a user may have. */
export function withOauthProviders<U extends WithoutTimes<User>>(
  user: U,
  added: readonly OauthProvider[],
  { oauthProvidersPerUserMax }: Limits,
): U {
  const oauthProviders = [...user.oauthProviders, ...added]
  if (oauthProviders.length > oauthProvidersPerUserMax) {
    throw new Failure('LIMIT_REACHED', `user has exceeded maximum oauth providers (${oauthProvidersPerUserMax})`)
  }
  return { ...user, oauthProviders }
}

type GivenUser = { readonly oauthProviders: readonly GivenOauthProvider[] }

const pathOfUser = (fieldPath: string, index: number) => `${fieldPath}[${index}].oauthProviders`

export function checkOauthProvidersOfUsers(given: readonly GivenUser[], fieldPath: string): void {
  given.forEach(({ oauthProviders }, index) => {
    checkOauthProviders(oauthProviders, pathOfUser(fieldPath, index))
  })
}

export function oidcTokensOfUsers(given: readonly GivenUser[], fieldPath: string): readonly OidcToken[] {
  return given.flatMap(({ oauthProviders }, index) => oidcTokensOf(oauthProviders, pathOfUser(fieldPath, index)))
}

export function identityReadsOfUsers(given: readonly GivenUser[]): readonly Need[] {
  return given.flatMap(({ oauthProviders }) => identityReads(oauthProviders))
}

/** Adds to each new user the providers that the request gives it. */
export function withOauthProvidersOfUsers(
  users: readonly WithoutTimes<User>[],
  given: readonly GivenUser[],
  { fieldPath, ...circumstances }: Omit<Circumstances, 'seen'>,
): readonly WithoutTimes<User>[] {
  const seen = new Set<string>()
  return users.map((user, index) => {
    const at = pathOfUser(fieldPath, index)
    const added = newOauthProviders(given[index]?.oauthProviders ?? [], { ...circumstances, fieldPath: at, seen })
    return withOauthProviders(user, added, circumstances.limits)
  })
}

/** The identity that claims name. */
export function identityOf({ iss, aud, sub }: { iss: string; aud: string; sub: string }): TokenSubject {
  return { issuer: iss, audience: aud, subject: sub }
}
