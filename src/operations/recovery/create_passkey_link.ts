import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import type { Now } from '../../contract/explanation/explain_context.ts'
import type { Value } from '../../contract/explanation/explanation.ts'
import { duration, hex, none, note, row, rowsOf, text } from '../../contract/explanation/shown_values.ts'
import { durationText } from '../../contract/explanation/texts/durations.ts'
import { quoted } from '../../contract/explanation/texts/quoted.ts'
import { ApiPublicKey, Flag, fields, optional, TokenSeconds, Uuid } from '../../contract/fields/fields.ts'
import { htmlOf, linkHtml, shownName, subjectOf } from '../../contract/mails.ts'
import { all, type Need, ofUser, user } from '../../contract/needs.ts'
import { requireRecovery } from '../../contract/records/features.ts'
import { hasVerifiedEmail, recoveryCredentialType, type User } from '../../contract/records/records.ts'
import { parseApiPublicKey } from '../../protocol/stamps/api_keys.ts'
import { escaped } from '../../protocol/tools/escaped.ts'
import { Failure, fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import { mailChoiceNeeds, mayNameInMails, nameInMails, requireMailedLinks } from '../sessions/shared/mail_choices.ts'
import { countStart, startReads } from '../sessions/shared/message_starts.ts'
import { newApiKey, unusedKey, withApiKeys } from '../users/shared/new_users.ts'

const secondsDefault = '600'
const fieldPath = 'parameters.publicKey'

/**
 * Another device of the user makes the key and shows its public half, or a page makes the key and shows its private half
 * as a link for the other device. No private half is ever in a request. With `sendEmail` the vault makes the key and
 * mails the link, so that no administrator handles it.
 */
export default defineActivity({
  name: 'create_passkey_link',
  isOwn: true,
  summary: 'Lets a key of P-256 add one passkey to a user, by recover_user: on another device, or after a loss.',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  parameters: fields({
    userId: Uuid,
    publicKey: optional(ApiPublicKey),
    sendEmail: optional(Flag),
    expirationSeconds: optional(TokenSeconds),
  }),
  result: Type.Object({ apiKeyId: Type.String() }),
  check({ publicKey, sendEmail }) {
    if (sendEmail === true) {
      if (publicKey === undefined) return
      throw fieldInvalid(fieldPath, 'left out with sendEmail: the vault makes the key')
    }
    const isPoint =
      publicKey !== undefined && parseApiPublicKey({ curveType: 'API_KEY_CURVE_P256', publicKey }) !== undefined
    if (!isPoint)
      throw fieldInvalid(fieldPath, 'a compressed point of P-256: 33 bytes in hex, unless sendEmail is true')
  },
  ownerOf: ({ userId }) => userId,
  needs: ({ userId, publicKey, sendEmail }) => [
    user(userId),
    ...(publicKey === undefined ? [] : unusedKey(publicKey, fieldPath)),
    ...(sendEmail === true ? [all('feature'), ...mailChoiceNeeds, ofUser(userId, mailboxReads)] : []),
  ],
  explain({ parameters: { userId, publicKey, sendEmail, expirationSeconds = secondsDefault }, now }) {
    const mailedTo = sendEmail === true ? mailedToNow(userId, now) : undefined
    return changesContent(now, {
      code: 'create_passkey_link',
      subject: [now.named(userId), ...(mailedTo?.kind === 'text' ? [mailedTo] : [])],
      rows: [
        row('user', now.named(userId)),
        ...rowsOf({
          linkMailedTo: mailedTo,
          linkForKey: publicKey === undefined ? undefined : hex(publicKey),
          linkWorksFor: duration(expirationSeconds),
        }),
      ],
    })
  },

  run({ organization, parameters, caller, submitted, mailDecider, keys, consoleUrl, nowMs, newId, limits, send }) {
    const { userId, expirationSeconds = secondsDefault } = parameters
    const found = organization.users.get(userId)
    const { publicKey, privateKey } =
      parameters.publicKey === undefined ? keys.newLinkKey() : { publicKey: parameters.publicKey }
    const given = {
      apiKeyName: 'Link to add a passkey',
      publicKey,
      curveType: 'API_KEY_CURVE_P256',
      expirationSeconds,
    } as const
    const claimedAtMs = privateKey === undefined ? submitted.atMs : undefined
    const key = newApiKey(given, { nowMs, newId, claimedAtMs })
    // The switches of recoveries by mail bind a mailed link, now and when it is used.
    const isLink = privateKey === undefined ? { isLink: true as const } : {}
    const { userName, userEmail } = found
    const mailedTo = privateKey === undefined || userEmail === undefined ? {} : { mailedTo: userEmail }
    const restsOn = { ...mailedTo, makers: submitted.livingMakers() }
    const credential = { ...key, credentialType: recoveryCredentialType, ...isLink, restsOn } as const
    organization.users.put(withApiKeys(found, [credential], { limits, nowMs }))
    if (privateKey === undefined) return { apiKeyId: key.apiKeyId }

    requireRecovery(found, organization, nowMs)
    if (consoleUrl === undefined) throw new Failure('LINKS_UNCONFIGURED')
    if (userEmail === undefined) {
      const reason = 'the user has no e-mail address: set it with update_user_email, or send publicKey'
      throw fieldRefused('parameters.sendEmail', reason)
    }
    const asking = { organization, caller, mailDecider }
    requireMailedLinks(asking, { isVerified: hasVerifiedEmail(found) })
    countStart(startOf(userEmail), { organization, nowMs })
    const { organizationId } = organization
    const mail = linkMail({
      ...{ organizationName: nameInMails(organization.organizationName, asking), to: userEmail },
      ...(mayNameInMails(asking) ? { names: { user: userName, askedBy: caller.user.userName } } : {}),
      // Browsers do not send the part behind the #.
      link: `${consoleUrl}/#/passkey/${organizationId}/${userId}/${privateKey}`,
      duration: durationText(Number(expirationSeconds)),
    })
    send({ ...mail, expiresAtMs: nowMs + Number(expirationSeconds) * 1_000 })
    return { apiKeyId: key.apiKeyId }
  },
})

/** Several users may have one mailbox. Counted apart from passcodes: nobody is kept from logging in by mail. */
function startOf(email: string) {
  return { otpType: 'OTP_TYPE_EMAIL', contact: `link ${mailboxOf(email)}` } as const
}

function mailboxReads({ userEmail }: User): readonly Need[] {
  return userEmail === undefined ? [] : startReads(startOf(userEmail))
}

/** The address to which `run` would mail the link now. The record may have changed since an activity that has ended. */
function mailedToNow(userId: string, { find, isBefore }: Pick<Now, 'find' | 'isBefore'>): Value {
  if (!isBefore) return note('notKnownAnyMore')
  const userEmail = find('user', userId)?.userEmail
  return userEmail === undefined ? none : text(userEmail)
}

type Mailed = {
  readonly organizationName: string
  readonly to: string
  /** Absent where users of the organization may choose no texts of mails. */
  readonly names?: { readonly user: string; readonly askedBy: string }
  readonly link: string
  readonly duration: string
}

/** The mail with the link. The names in it are texts of users. */
function linkMail({ organizationName, to, names, link, duration }: Mailed) {
  const introduction =
    names === undefined
      ? `This link adds a passkey of your device to your user in ${quoted(organizationName)}.`
      : `${quoted(names.askedBy)} asked for this link. It adds a passkey of your device to your user ${quoted(names.user)} in ${quoted(organizationName)}.`
  const action = 'Register a passkey'
  const advice = `This link works once, within ${duration}. Whoever has it can act as you, so give it to nobody. If you do not expect it, delete this mail${names === undefined ? '' : `, and tell ${quoted(names.askedBy)}`}.`
  return {
    channel: 'mail',
    to,
    subject: subjectOf(`Register a passkey at ${shownName(organizationName)}`),
    text: `${[introduction, `${action}:\n${link}`, advice].join('\n\n')}\n`,
    html: htmlOf([escaped(introduction), linkHtml(link, action), escaped(advice)]),
  } as const
}
