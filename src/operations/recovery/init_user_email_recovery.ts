import Type from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { durationText } from '../../contract/explanation/texts/durations.ts'
import { Email, fields, Label, optional, Seconds, TargetPublicKey } from '../../contract/fields/fields.ts'
import {
  checkCustomization,
  credentialMail,
  EmailCustomization,
  mailSenderFields,
  shownName,
} from '../../contract/mails.ts'
import { all, lookup } from '../../contract/needs.ts'
import { requireOn, requireRecovery } from '../../contract/records/features.ts'
import { recoveryCredentialType, type User } from '../../contract/records/records.ts'
import { parseTargetPublicKey } from '../../protocol/bundles/bundles.ts'
import { Failure, fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import { foundNow } from '../sessions/shared/login_explanation.ts'
import { mailChoiceNeeds, nameInMails, requireMailChoices } from '../sessions/shared/mail_choices.ts'
import { mailContent } from '../sessions/shared/mail_explanation.ts'
import { countStart, startReads } from '../sessions/shared/message_starts.ts'
import { untilOne } from '../sessions/shared/verification_tokens.ts'
import { newApiKey, withApiKeys } from '../users/shared/new_users.ts'

const secondsDefault = '900'
const secondsMax = 86_400
/** The default of the first type, which may name no application. */
const appNameDefault = 'Claviger'

const common = {
  email: Email,
  targetPublicKey: TargetPublicKey,
  expirationSeconds: optional(Seconds),
  ...mailSenderFields,
}

const schema = fields({ ...common, emailCustomization: EmailCustomization })

export default defineActivity({
  name: 'init_user_email_recovery',
  summary:
    'Mails a user a recovery credential, encrypted to a key of the client. With it, recover_user adds a passkey.',
  type: 'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2',
  resultKey: 'initUserEmailRecoveryResult',
  policy: { resource: 'RECOVERY', action: 'CREATE' },
  openToParent: true,
  parameters: schema,
  result: Type.Object({ userId: Type.String() }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY',
      parameters: fields({
        ...common,
        emailCustomization: optional(fields({ ...EmailCustomization.properties, appName: optional(Label) })),
      }),
      upgrade: (given) => ({
        ...given,
        emailCustomization: {
          ...given.emailCustomization,
          appName: given.emailCustomization?.appName ?? appNameDefault,
        },
      }),
    }),
  ],
  check: ({ targetPublicKey, expirationSeconds = secondsDefault, emailCustomization }) => {
    parseTargetPublicKey(targetPublicKey, 'parameters.targetPublicKey')
    checkCustomization(emailCustomization, 'parameters.emailCustomization')
    if (Number(expirationSeconds) <= secondsMax) return
    const expected = `at most ${secondsMax}, which is a day`
    throw fieldInvalid('parameters.expirationSeconds', expected)
  },
  needs: ({ email }) => [
    all('feature'),
    ...mailChoiceNeeds,
    lookup('user_email', mailboxOf(email)),
    ...startReads(startOf(email)),
  ],

  explain({ parameters, request, now }) {
    const appName = now.nameInMails(parameters.emailCustomization.appName)
    const emailCustomization = { ...parameters.emailCustomization, appName }
    const given = { ...parameters, emailCustomization }
    const users = foundNow((organization) => organization.found('user', 'user_email', mailboxOf(parameters.email)), {
      request,
      now,
    })
    return mailContent(
      {
        code: 'init_user_email_recovery',
        schema,
        appName,
        parameters: given,
        wayIn: { contact: parameters.email, users },
      },
      now,
    )
  },

  run({ organization, parameters, caller, submitted, mailDecider, keys, limits, nowMs, newId, send }) {
    const { email, emailCustomization, expirationSeconds = secondsDefault } = parameters
    requireOn(organization.features.all(), 'FEATURE_NAME_EMAIL_RECOVERY')
    const asking = { organization, caller, mailDecider }
    requireMailChoices(parameters, asking)
    const customization = { ...emailCustomization, appName: nameInMails(emailCustomization.appName, asking) }
    const { user, to } = onlyUser(organization.found('user', 'user_email', mailboxOf(email)))
    requireRecovery(user, organization, nowMs)
    const restsOn = { mailedTo: to, makers: submitted.livingMakers() }
    countStart(startOf(email), { organization, nowMs })
    const target = parseTargetPublicKey(parameters.targetPublicKey, 'parameters.targetPublicKey')
    const { publicKey, credentialBundle } = keys.newCredential(target)
    const given = {
      apiKeyName: 'Recovery by e-mail',
      publicKey,
      curveType: 'API_KEY_CURVE_P256',
      expirationSeconds,
    } as const
    const key = newApiKey(given, { nowMs, newId, claimedAtMs: undefined })
    const credential = { ...key, credentialType: recoveryCredentialType, restsOn }
    organization.users.put(withApiKeys(user, [credential], { limits, nowMs }))

    const seconds = Number(expirationSeconds)
    const mail = credentialMail(words(customization.appName, durationText(seconds)), {
      to,
      credentialBundle,
      customization,
      sender: parameters,
    })
    send({ ...mail, expiresAtMs: nowMs + seconds * 1000 })
    return { userId: user.userId }
  },
})

/** Recoveries are counted together with the passcodes mailed to the same address. */
function startOf(contact: string) {
  return { otpType: 'OTP_TYPE_EMAIL', contact } as const
}

/** Returns the user with the stored address, to which the mail goes, however the caller spells it. */
function onlyUser([user, another]: readonly User[]): { readonly user: User; readonly to: string } {
  const fieldPath = 'parameters.email'
  if (user?.userEmail === undefined) {
    throw new Failure('NOT_FOUND', { fieldPath, reason: 'no user of this organization has this address' })
  }
  if (another !== undefined) {
    throw fieldRefused(fieldPath, `more than one user of this organization has this address; ${untilOne}`)
  }
  return { user, to: user.userEmail }
}

function words(app: string, duration: string) {
  const appName = shownName(app)
  return {
    subject: `Recover your account at ${appName}`,
    introduction: `A recovery of your account at ${appName} was requested. It adds a new passkey to your account.`,
    action: 'Recover your account',
    advice: `This works once, within ${duration}. If you did not request it, delete this mail, open no link in it and give it to nobody.`,
  }
}
