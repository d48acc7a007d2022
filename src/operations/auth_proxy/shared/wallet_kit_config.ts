import { isOff } from '../../../contract/records/features.ts'
import type { AuthProxy, Feature } from '../../../contract/records/records.ts'
import type { ProxiedName } from '../../../protocol/wire/auth_proxy.ts'

/** The ways to log in, for a page that offers them. Strangers read it, so it has nothing that is not for them. */
export function walletKitConfig(proxy: AuthProxy, features: readonly Feature[]) {
  const { operations, oauthProviders, oauthRedirectUrl, sessionExpirationSeconds, organizationId } = proxy
  const allows = (...names: readonly ProxiedName[]) => names.some((name) => operations.includes(name))
  const hasPasscodes = allows('otp_init', 'otp_init_v2') && allows('otp_verify', 'otp_verify_v2')
  return {
    enabledProviders: [
      // These stamp with a key of their own, and need no operation of the proxy.
      'passkey',
      'wallet',
      ...(hasPasscodes && !isOff(features, 'FEATURE_NAME_OTP_EMAIL_AUTH') ? ['email'] : []),
      ...(hasPasscodes && !isOff(features, 'FEATURE_NAME_SMS_AUTH') ? ['sms'] : []),
      ...oauthProviders.map(({ providerName }) => providerName.toLowerCase()),
    ],
    sessionExpirationSeconds,
    organizationId,
    oauthClientIds: Object.fromEntries(oauthProviders.map((each) => [each.providerName.toLowerCase(), each.clientId])),
    ...(oauthRedirectUrl === undefined ? {} : { oauthRedirectUrl }),
    otpAlphanumeric: proxy.otpAlphanumeric,
    otpLength: String(proxy.otpLength),
    // Our own: a page that may ask nobody else learns here whose login it shows, and where to send its user.
    appName: proxy.appName,
    oauthProviders: oauthProviders.map(({ providerName, issuer, clientId, authorizationUrl }) => ({
      ...{ providerName, issuer, clientId, authorizationUrl },
    })),
  }
}
