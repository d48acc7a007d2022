import Type, { type Static } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { BearerToken } from '../../contract/fields/bearer_token.ts'
import {
  Flag,
  fields,
  HttpsUrl,
  Label,
  namedFields,
  oneOf,
  optional,
  PasscodeSeconds,
} from '../../contract/fields/fields.ts'
import { named } from '../../contract/fields/named.ts'
import { checkCustomization, mailSenderFields } from '../../contract/mails.ts'
import { all } from '../../contract/needs.ts'
import { passcodeAttemptsMax } from '../../contract/records/counted_kinds.ts'
import { requireOn } from '../../contract/records/features.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { passcodeSwitches } from '../../protocol/wire/feature_names.ts'
import { mailAddressFault } from '../../protocol/wire/mail_addresses.ts'
import { phoneNumberPattern } from '../../protocol/wire/outgoing_messages.ts'
import { mailChoiceNeeds, nameInMails, requireMailChoices } from './shared/mail_choices.ts'
import { mailContent } from './shared/mail_explanation.ts'
import { countStart, startReads } from './shared/message_starts.ts'
import { codeMark, type PasscodeLook, passcodeMessage } from './shared/passcode_messages.ts'
import { passcodeSecretOf } from './shared/passcode_secret.ts'

const lengthDefault = 9
const secondsDefault = '300'

const phoneNumber = new RegExp(phoneNumberPattern)
/** The form that is expected of a contact to which nothing can be sent. */
const contactFaults = {
  OTP_TYPE_EMAIL: mailAddressFault,
  OTP_TYPE_SMS: (contact: string) => (phoneNumber.test(contact) ? undefined : 'a phone number such as +14155550123'),
} as const
const noTemplates = 'left out: there are no stored templates'

const MagicLinkTemplate = Type.String({
  maxLength: 2_048,
  pattern: '%s',
  expected: 'a link with %s in it',
  ...named('OtpMagicLinkTemplate'),
})
const NotYet = Type.String({ maxLength: 65_536, expected: noTemplates })

const EmailCustomization = namedFields('EmailCustomizationParamsV2', {
  logoUrl: optional(HttpsUrl),
  magicLinkTemplate: optional(MagicLinkTemplate),
  templateVariables: optional(NotYet),
  templateId: optional(NotYet),
})
const SmsCustomization = namedFields('SmsCustomizationParams', {
  template: optional(Type.String({ maxLength: 480, expected: `a text with ${codeMark} in it` })),
})

const common = {
  otpType: oneOf(['OTP_TYPE_SMS', 'OTP_TYPE_EMAIL']),
  contact: Type.String({ minLength: 1, maxLength: 256, expected: 'an e-mail address or a phone number' }),
  otpLength: optional(Type.Integer({ minimum: 6, maximum: 9, expected: 'a number from 6 to 9' })),
  smsCustomization: optional(SmsCustomization),
  userIdentifier: optional(Type.String({ minLength: 1, maxLength: 256, expected: 'a text of 1 to 256 characters' })),
  alphanumeric: optional(Flag),
  expirationSeconds: optional(PasscodeSeconds),
  ...mailSenderFields,
}
const parameters = fields({ ...common, appName: Label, emailCustomization: optional(EmailCustomization) })
const first = fields({
  ...common,
  emailCustomization: optional(
    namedFields('EmailCustomizationParams', { ...EmailCustomization.properties, appName: optional(Label) }),
  ),
})
// Anybody who has the id can use up the attempts of the passcode.
const result = Type.Object({ otpId: BearerToken, otpEncryptionTargetBundle: Type.String() })
const ownResult = {
  result: Type.Object({ otpId: BearerToken }),
  downgrade: ({ otpId }: Static<typeof result>) => ({ otpId }),
}

export default defineActivity({
  name: 'init_otp',
  summary: 'Sends a passcode to an e-mail address or a phone number.',
  type: 'ACTIVITY_TYPE_INIT_OTP_V3',
  resultKey: 'initOtpResultV2',
  policy: { resource: 'OTP', action: 'CREATE' },
  parameters,
  result,
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_INIT_OTP_V2',
      resultKey: 'initOtpResult',
      parameters,
      upgrade: (given) => given,
      ownResult,
    }),
    olderType({
      type: 'ACTIVITY_TYPE_INIT_OTP',
      parameters: first,
      upgrade: ({ emailCustomization, ...given }) => {
        const { appName = 'your account', ...customization } = emailCustomization ?? {}
        return { ...given, appName, emailCustomization: customization }
      },
      ownResult,
    }),
  ],
  openToParent: true,
  check: checkMessage,
  needs: (given) => [
    ...[all('feature'), ...mailChoiceNeeds, ...startReads(given)],
    ...startReads({ otpType: given.otpType, contact: given.contact, isUnstamped: true }),
  ],

  explain({ parameters: given, now }) {
    const appName = now.nameInMails(given.appName)
    return mailContent({ code: 'init_otp', schema: parameters, appName, parameters: { ...given, appName } }, now)
  },

  run({ organization, parameters: given, caller, mailDecider, keys, nowMs, newId, send }) {
    requireOn(organization.features.all(), passcodeSwitches[given.otpType])
    const asking = { organization, caller, mailDecider }
    requireMailChoices(given, asking)
    countStart({ ...given, isUnstamped: caller.isUnstamped }, { organization, nowMs })
    const {
      otpType,
      contact,
      otpLength = lengthDefault,
      alphanumeric = true,
      expirationSeconds = secondsDefault,
    } = given
    const otpId = newId()
    const seconds = Number(expirationSeconds)
    const expiresAtMs = nowMs + seconds * 1_000
    const { secret, publicKey } = keys.newTarget()
    using targetSecret = secret
    using passcode = keys.newPasscode({ length: otpLength, alphanumeric, contact })
    const flow = { otpId, otpType, contact, expiresAtMs, attemptsLeft: passcodeAttemptsMax, isUsed: false }
    organization.passcodeFlows.add(flow, passcodeSecretOf({ targetSecret, passcode }))
    const text = Buffer.from(passcode.reveal()).toString()
    const look = { ...lookOf(given), appName: nameInMails(given.appName, asking) }
    send(passcodeMessage(text, { otpType, contact, expiresAtMs, seconds, look }))
    return { otpId, otpEncryptionTargetBundle: keys.otpTargetBundle(publicKey) }
  },
})

type OtpParameters = Static<typeof parameters>

function checkMessage({ otpType, contact, emailCustomization, smsCustomization }: OtpParameters): void {
  const expected = contactFaults[otpType](contact)
  if (expected !== undefined) throw fieldInvalid('parameters.contact', expected)
  checkCustomization(emailCustomization ?? {}, 'parameters.emailCustomization')
  for (const name of ['templateVariables', 'templateId'] as const) {
    if (emailCustomization?.[name] === undefined) continue
    const fieldPath = `parameters.emailCustomization.${name}`
    throw fieldInvalid(fieldPath, noTemplates)
  }
  if (smsCustomization?.template?.includes(codeMark) === false) {
    const fieldPath = 'parameters.smsCustomization.template'
    throw fieldInvalid(fieldPath, `a text with ${codeMark} in it`)
  }
}

function lookOf({ appName, emailCustomization, smsCustomization, ...sender }: OtpParameters): PasscodeLook {
  const { logoUrl, magicLinkTemplate } = emailCustomization ?? {}
  const smsTemplate = smsCustomization?.template
  return {
    appName,
    ...(logoUrl === undefined ? {} : { logoUrl }),
    ...(magicLinkTemplate === undefined ? {} : { magicLinkTemplate }),
    ...(smsTemplate === undefined ? {} : { smsTemplate }),
    sender,
  }
}
