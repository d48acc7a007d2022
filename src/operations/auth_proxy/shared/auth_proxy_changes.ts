import type { Static } from 'typebox'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { changesContent } from '../../explanation/changes.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Value } from '../../explanation/explanation.ts'
import type { Content } from '../../explanation/signing/signing_content.ts'
import { code, duration, flag, list, listed, none, number, row, text, tree } from '../../explanation/values.ts'
import type { AuthProxy, WithoutTimes } from '../../records/records.ts'
import { type AuthProxyParameters, authProxyOf } from './auth_proxies.ts'

/** Explains what may be asked without a stamp from then on. `given` is undefined if the proxy ends. */
export function explainAuthProxy(
  name: string,
  given: Static<typeof AuthProxyParameters> | undefined,
  now: Now,
): Steps<Content> {
  const { organizationId } = now
  const before = valuesOf(now.find('auth_proxy', organizationId))
  const after =
    given === undefined ? valuesOf(undefined) : valuesOf(authProxyOf(given, { organizationId, parentId: undefined }))
  const labels = new Set([...Object.keys(before), ...Object.keys(after)])
  return changesContent(now, {
    code: name,
    subject: [now.named(organizationId)],
    rows: [row('organization', now.named(organizationId))],
    changes: Object.fromEntries([...labels].map((label) => [label, { from: before[label], to: after[label] ?? none }])),
  })
}

type Values = Readonly<Record<string, Value | undefined>>

function valuesOf(proxy: WithoutTimes<AuthProxy> | undefined): Values {
  if (proxy === undefined) return {}
  const { operations, allowedOrigins, appName, oauthProviders, oauthRedirectUrl } = proxy
  return {
    operations: list(listed(operations, code)),
    allowedOrigins: list(listed(allowedOrigins, text)),
    appName: text(appName),
    sessionExpirationSeconds: duration(proxy.sessionExpirationSeconds),
    otpExpirationSeconds: duration(proxy.otpExpirationSeconds),
    otpLength: number(proxy.otpLength),
    otpAlphanumeric: flag(proxy.otpAlphanumeric),
    oauthProviders: list(
      listed(oauthProviders, ({ providerName, issuer, clientId, authorizationUrl }) =>
        tree({
          providerName: text(providerName),
          issuer: text(issuer),
          clientId: text(clientId),
          authorizationUrl: text(authorizationUrl),
        }),
      ),
    ),
    oauthRedirectUrl: oauthRedirectUrl === undefined ? undefined : text(oauthRedirectUrl),
  }
}
