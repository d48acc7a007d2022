import Type, { type Static } from 'typebox'
import {
  Flag,
  fields,
  HttpsUrl,
  Label,
  lineOf,
  list,
  namedFields,
  oneOf,
  optional,
  PasscodeSeconds,
  SessionSeconds,
  Timestamp,
} from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import type { OrganizationFacts, OrganizationReader } from '../../../contract/readers.ts'
import type { AuthProxy, WithoutTimes } from '../../../contract/records/records.ts'
import { timestampView } from '../../../contract/records/views.ts'
import {
  anyProxyOrigin,
  proxiedNames,
  proxyIssuersMax,
  proxyOriginsMax,
  takesCodes,
} from '../../../protocol/wire/auth_proxy.ts'
import { Failure, fieldInvalid } from '../../../protocol/wire/failures.ts'
import { isOrigin } from '../../../protocol/wire/feature_names.ts'

const originCharactersMax = 300
const expectedOrigin = `${anyProxyOrigin}, or an origin such as https://app.example.com that the list has once`
const urlCharactersMax = 2_048

const issuerFields = {
  providerName: lineOf({ charactersMin: 1, charactersMax: 64 }),
  issuer: HttpsUrl,
  clientId: lineOf({ charactersMin: 1, charactersMax: 256 }),
  authorizationUrl: HttpsUrl,
}

/** The parameters that say what the proxy does. Both activities name all of it, so one reading shows all of it. */
export const AuthProxyParameters = namedFields('AuthProxyParams', {
  operations: list(oneOf(proxiedNames), { itemsMin: 1, itemsMax: proxiedNames.length }),
  allowedOrigins: list(Type.String({ maxLength: originCharactersMax, expected: expectedOrigin }), {
    itemsMin: 1,
    itemsMax: proxyOriginsMax,
  }),
  appName: Label,
  sessionExpirationSeconds: optional(SessionSeconds),
  otpExpirationSeconds: optional(PasscodeSeconds),
  otpLength: optional(Type.Integer({ minimum: 6, maximum: 9, expected: 'a number from 6 to 9' })),
  otpAlphanumeric: optional(Flag),
  oauthProviders: optional(list(fields(issuerFields), { itemsMax: proxyIssuersMax })),
  oauthRedirectUrl: optional(Type.String({ maxLength: urlCharactersMax, expected: 'an https:// address' })),
  sessionsMayChangeCredentials: optional(Flag),
})
type ProxyParameters = Static<typeof AuthProxyParameters>

export const AuthProxyView = view('AuthProxyConfig', {
  configId: Type.String(),
  organizationId: Type.String(),
  operations: Type.Array(Type.String()),
  allowedOrigins: Type.Array(Type.String()),
  ...texts('appName', 'sessionExpirationSeconds', 'otpExpirationSeconds'),
  otpLength: Type.Integer(),
  otpAlphanumeric: Type.Boolean(),
  oauthProviders: Type.Array(
    Type.Object({
      ...texts('providerName', 'issuer', 'clientId', 'authorizationUrl'),
    }),
  ),
  oauthRedirectUrl: optional(Type.String()),
  sessionsMayChangeCredentials: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** Refuses origins that no browser sends, addresses that are none, and what is named twice. */
export function checkAuthProxy({
  operations,
  allowedOrigins,
  oauthProviders = [],
  oauthRedirectUrl,
}: ProxyParameters): void {
  operations.forEach((name, index) => {
    if (operations.indexOf(name) === index) return
    throw fieldInvalid(`parameters.operations[${index}]`, 'an operation that the list has once')
  })
  allowedOrigins.forEach((origin, index) => {
    const isRight = origin === anyProxyOrigin || isOrigin(origin)
    if (isRight && allowedOrigins.indexOf(origin) === index) return
    throw fieldInvalid(`parameters.allowedOrigins[${index}]`, expectedOrigin)
  })
  // Clients find the id of a client by the name in lower case.
  const providerNames = oauthProviders.map(({ providerName }) => providerName.toLowerCase())
  oauthProviders.forEach(({ authorizationUrl }, index) => {
    const fieldPath = `parameters.oauthProviders[${index}]`
    if (providerNames.indexOf(providerNames[index] ?? '') !== index) {
      throw fieldInvalid(`${fieldPath}.providerName`, 'a name that the list has once, in any case of its letters')
    }
    if (!isPageUrl(authorizationUrl)) throw fieldInvalid(`${fieldPath}.authorizationUrl`, 'an https:// address')
  })
  if (oauthRedirectUrl !== undefined && !isPageUrl(oauthRedirectUrl)) {
    throw fieldInvalid('parameters.oauthRedirectUrl', 'an https:// address')
  }
}

/** Whether a page may lead its user there. Without TLS only localhost passes. */
function isPageUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.username === '' && url.password === '' && isOrigin(url.origin)
}

export function authProxyOf(
  {
    oauthRedirectUrl,
    sessionExpirationSeconds = '900',
    otpExpirationSeconds = '300',
    otpLength = 9,
    otpAlphanumeric = true,
    oauthProviders = [],
    sessionsMayChangeCredentials = true,
    ...given
  }: ProxyParameters,
  { organizationId, parentId }: Pick<OrganizationFacts, 'organizationId' | 'parentId'>,
): WithoutTimes<AuthProxy> {
  if (parentId !== undefined) {
    const reason = 'a sub-organization has no auth proxy: its users log in by the one of its parent'
    throw new Failure('FORBIDDEN', reason)
  }
  return {
    ...{ organizationId, ...given, sessionExpirationSeconds, otpExpirationSeconds, otpLength, otpAlphanumeric },
    ...{ oauthProviders, sessionsMayChangeCredentials },
    ...(oauthRedirectUrl === undefined ? {} : { oauthRedirectUrl }),
  }
}

/** Whether sessions of the proxy may do what outlasts them (`outlastsSession`). */
export function mayChangeCredentials({
  sessionsMayChangeCredentials = true,
}: Pick<AuthProxy, 'sessionsMayChangeCredentials'>): boolean {
  return sessionsMayChangeCredentials
}

/**
 * Whether the proxy takes requests. One that was disabled and whose setting binds sessions and issuers' tokens leaves its
 * record behind, without operations: by its end nobody may do more.
 */
export function isEnabled({ operations }: Pick<AuthProxy, 'operations'>): boolean {
  return operations.length > 0
}

/** The proxy with the time since when, without a break, it takes codes. `former`: as it was before. */
export function withCodesSince<P extends WithoutTimes<AuthProxy>>(
  proxy: P,
  { former, nowMs }: { readonly former: AuthProxy | undefined; readonly nowMs: number },
): P {
  if (former === undefined || !takesCodes(former)) return { ...proxy, takesCodesSinceMs: nowMs }
  const { takesCodesSinceMs } = former
  return takesCodesSinceMs === undefined ? proxy : { ...proxy, takesCodesSinceMs }
}

/** The proxy as a disabled one leaves it behind. */
export function disabledProxy(proxy: AuthProxy): AuthProxy {
  return { ...proxy, operations: [], allowedOrigins: [], oauthProviders: [] }
}

/** The one proxy of the organization, or undefined if it has none, or a disabled one. */
export function enabledProxy({ authProxies }: Pick<OrganizationReader, 'authProxies'>): AuthProxy | undefined {
  return authProxies.all().find(isEnabled)
}

export function noProxy(): Failure {
  return new Failure('NOT_FOUND', 'this organization has no auth proxy: enable one with enable_auth_proxy')
}

export function authProxyView(proxy: AuthProxy): Static<typeof AuthProxyView> {
  const { createdAtMs, updatedAtMs, takesCodesSinceMs: _, operations, allowedOrigins, oauthProviders, ...shown } = proxy
  return {
    configId: proxy.organizationId,
    ...shown,
    operations: [...operations],
    allowedOrigins: [...allowedOrigins],
    oauthProviders: oauthProviders.map((provider) => ({ ...provider })),
    sessionsMayChangeCredentials: mayChangeCredentials(proxy),
    createdAt: timestampView(createdAtMs),
    updatedAt: timestampView(updatedAtMs),
  }
}
