import type { Static } from 'typebox'
import { changesContent } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note, Value } from '../../../contract/explanation/explanation.ts'
import {
  code,
  duration,
  flag,
  list,
  listed,
  none,
  note,
  noteOf,
  number,
  row,
  text,
  tree,
} from '../../../contract/explanation/shown_values.ts'
import type { AuthProxy, WithoutTimes } from '../../../contract/records/records.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { type AuthProxyParameters, authProxyOf, isEnabled, mayChangeCredentials } from './auth_proxies.ts'

/** Explains what may be asked without a stamp from then on. `given` is undefined if the proxy ends. */
export function explainAuthProxy(
  name: string,
  given: Static<typeof AuthProxyParameters> | undefined,
  now: Now,
): Steps<Content> {
  const { organizationId } = now
  const kept = now.find('auth_proxy', organizationId)
  const former = kept !== undefined && isEnabled(kept) ? kept : undefined
  const next = given && authProxyOf(given, { organizationId, parentId: undefined })
  const [before, after] = [valuesOf(former), valuesOf(next)]
  const labels = new Set([...Object.keys(before), ...Object.keys(after)])
  return changesContent(now, {
    code: name,
    subject: [now.named(organizationId)],
    warnings: now.isBefore && next !== undefined ? [...weakenings(former, next), ...outlasting(kept, next)] : [],
    rows: [row('organization', now.named(organizationId))],
    changes: Object.fromEntries([...labels].map((label) => [label, { from: before[label], to: after[label] ?? none }])),
  })
}

type Proxy = WithoutTimes<AuthProxy>

function weakenings(former: Proxy | undefined, next: Proxy): readonly Note[] {
  const opens = opensMore(former, next) ? [note('wayInOpens')] : []
  if (former === undefined) return opens
  const isLonger = Number(next.sessionExpirationSeconds) > Number(former.sessionExpirationSeconds)
  const [to, from] = [duration(next.sessionExpirationSeconds), duration(former.sessionExpirationSeconds)]
  return [
    ...opens,
    ...(isEasierToGuess(former, next) ? [note('codesWeaken')] : []),
    ...(isLonger ? [noteOf('sessionsLonger', to, from)] : []),
  ]
}

/** `kept` may also be what a disabled proxy left behind. */
function outlasting(kept: Proxy | undefined, next: Proxy): readonly Note[] {
  const isRefused = kept !== undefined && !mayChangeCredentials(kept)
  return isRefused && mayChangeCredentials(next) ? [note('sessionsOutlasted')] : []
}

/** Each character of a code with letters counts more than a digit. */
function isEasierToGuess(former: Proxy, next: Proxy): boolean {
  const possible = ({ otpLength, otpAlphanumeric }: Proxy) => (otpAlphanumeric ? 32 : 10) ** otpLength
  const isLonger = Number(next.otpExpirationSeconds) > Number(former.otpExpirationSeconds)
  return possible(next) < possible(former) || isLonger
}

/** Whether the proxy may do more from then on, for other pages, or with the tokens of other issuers. */
function opensMore(former: Proxy | undefined, next: Proxy): boolean {
  const opened = ({ operations, allowedOrigins, oauthProviders }: Proxy) => [
    ...operations,
    ...allowedOrigins,
    ...oauthProviders.map((provider) => JSON.stringify(provider)),
  ]
  const before = new Set(former === undefined ? [] : opened(former))
  return opened(next).some((one) => !before.has(one)) || next.oauthRedirectUrl !== former?.oauthRedirectUrl
}

type Values = Readonly<Record<string, Value | undefined>>

function valuesOf(proxy: Proxy | undefined): Values {
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
    sessionsMayChangeCredentials: flag(mayChangeCredentials(proxy)),
  }
}
