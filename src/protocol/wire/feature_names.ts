import { isMailChoices, mailChoicesExpected, subOrganizationMailsName } from './sub_organization_mails.ts'
import { isWebhookUrl, webhookUrlExpected } from './webhooks.ts'

/** The features that an organization may switch on, and the value of each. */

export const featureNames = [
  'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY',
  'FEATURE_NAME_WEBAUTHN_ORIGINS',
  'FEATURE_NAME_EMAIL_AUTH',
  'FEATURE_NAME_EMAIL_RECOVERY',
  'FEATURE_NAME_WEBHOOK',
  'FEATURE_NAME_SMS_AUTH',
  'FEATURE_NAME_OTP_EMAIL_AUTH',
  'FEATURE_NAME_AUTH_PROXY',
  'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED',
  'FEATURE_NAME_SWAP_CONFIG',
  'FEATURE_NAME_EARN_CONFIG',
  subOrganizationMailsName,
] as const
export type FeatureName = (typeof featureNames)[number]

/** The ways in that are on in each organization until it switches them off. */
export const switches = [
  'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY',
  'FEATURE_NAME_EMAIL_RECOVERY',
  'FEATURE_NAME_SMS_AUTH',
  'FEATURE_NAME_OTP_EMAIL_AUTH',
] as const satisfies readonly FeatureName[]
export type Switch = (typeof switches)[number]

/** The switch of each kind of passcode. All that go to a phone number have that of text messages. */
export const passcodeSwitches = {
  OTP_TYPE_EMAIL: 'FEATURE_NAME_OTP_EMAIL_AUTH',
  OTP_TYPE_SMS: 'FEATURE_NAME_SMS_AUTH',
  OTP_TYPE_WHATSAPP: 'FEATURE_NAME_SMS_AUTH',
} as const satisfies Record<string, Switch>

/** The feature that each flag of a new sub-organization switches off. */
export const disablingFlags = [
  { flag: 'disableEmailRecovery', name: 'FEATURE_NAME_EMAIL_RECOVERY' },
  // Nothing mails login credentials yet. The flag is kept, so that it holds once something does.
  { flag: 'disableEmailAuth', name: 'FEATURE_NAME_EMAIL_AUTH' },
  { flag: 'disableSmsAuth', name: 'FEATURE_NAME_SMS_AUTH' },
  { flag: 'disableOtpEmailAuth', name: 'FEATURE_NAME_OTP_EMAIL_AUTH' },
] as const satisfies readonly { readonly flag: string; readonly name: FeatureName }[]

export function isSwitch(name: FeatureName): name is Switch {
  return switches.some((one) => one === name)
}

/** `expected` describes the right values, as a sentence part. */
type ValueRule = { readonly expected: string; readonly isRight: (value: string | undefined) => boolean }

export const originsMax = 100
const anyOrigin = '*'
const originsSeparator = ','

const switchedOn: ValueRule = {
  expected: 'left out, empty or true: to switch it off, remove the feature',
  isRight: (value = '') => value === '' || value === 'true',
}

/** The rules of the features that this server implements. */
const valueRules: { readonly [N in FeatureName]?: ValueRule } = {
  FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY: switchedOn,
  FEATURE_NAME_WEBAUTHN_ORIGINS: {
    expected: `* for any origin, or 1 to ${originsMax} origins such as https://app.example.com, with commas between them`,
    isRight: (value = '') => value === anyOrigin || isListOfOrigins(value.split(originsSeparator)),
  },
  FEATURE_NAME_EMAIL_RECOVERY: switchedOn,
  FEATURE_NAME_WEBHOOK: { expected: webhookUrlExpected, isRight: (value = '') => isWebhookUrl(value) },
  FEATURE_NAME_SUB_ORGANIZATION_MAILS: {
    expected: mailChoicesExpected,
    isRight: (value = '') => isMailChoices(value),
  },
  FEATURE_NAME_SMS_AUTH: switchedOn,
  FEATURE_NAME_OTP_EMAIL_AUTH: switchedOn,
}

/** Whether this server implements the feature. */
export function isSupported(name: FeatureName): boolean {
  return valueRules[name] !== undefined
}

/** Returns the expected values if a supported feature cannot have this value, undefined if it can. */
export function featureValueFault(name: FeatureName, value: string | undefined): string | undefined {
  const rule = valueRules[name]
  return rule === undefined || rule.isRight(value) ? undefined : rule.expected
}

/** Returns the origins in a stored value of FEATURE_NAME_WEBAUTHN_ORIGINS; undefined means any origin. */
export function webauthnOriginsOf(value: string): ReadonlySet<string> | undefined {
  return value === anyOrigin ? undefined : new Set(value.split(originsSeparator))
}

function isListOfOrigins(origins: readonly string[]): boolean {
  return origins.length <= originsMax && origins.every(isOrigin)
}

/** Origins of apps: an Android app by the SHA-256 of its certificate, a browser extension by its id. */
const appOrigins = [/^android:apk-key-hash:[A-Za-z0-9_-]{43}$/, /^chrome-extension:\/\/[a-p]{32}$/]

/** Whether the text is an origin as browsers write it: it is compared as text. Without TLS only localhost passes. */
export function isOrigin(text: string): boolean {
  if (appOrigins.some((pattern) => pattern.test(text))) return true
  const url = URL.parse(text)
  // A URL may have an asterisk in its host, but in this value it would look like a pattern, which is not supported.
  if (url === null || url.origin !== text || text.includes('*')) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost')
}
