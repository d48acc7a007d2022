import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { EmailOrNone, fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { all, user } from '../../contract/needs.ts'
import { signUpReads, VerificationToken, withContactOf } from '../sessions/shared/verification_tokens.ts'
import { withoutFormerContacts } from './shared/contact_changes.ts'
import { requireWayIn } from './shared/lockout.ts'
import { explainUser } from './shared/user_changes.ts'

export default defineActivity({
  name: 'update_user_email',
  summary:
    "Sets a user's e-mail address, or removes it when the address is an empty text. A verification token verifies it, in a sub-organization only one of the parent.",
  policy: { resource: 'USER', action: 'UPDATE' },
  parameters: fields({ userId: Uuid, userEmail: EmailOrNone, verificationToken: optional(VerificationToken) }),
  result: Type.Object({ userId: Type.String() }),
  needs: ({ userId, verificationToken }) => [
    user(userId),
    all('feature'),
    ...(verificationToken === undefined ? [] : signUpReads(verificationToken)),
  ],
  explain: ({ parameters, now }) => explainUser('update_user_email', parameters, now),

  run({ organization, parameters, submitted, keys, nowMs }) {
    const found = organization.users.get(parameters.userId)
    const { userEmail: _, ...others } = found
    const userEmail = parameters.userEmail === '' ? {} : { userEmail: parameters.userEmail }
    const updated = withoutFormerContacts(found, { ...others, ...userEmail }, { changedBy: submitted.apiKey, nowMs })
    const { rootQuorum, features } = organization
    requireWayIn(updated, { rootQuorum, features: features.all(), fieldPath: 'parameters.userEmail' })
    const place = { organization, keys, nowMs, kind: 'mail' } as const
    organization.users.put(withContactOf(updated, parameters.verificationToken, place))
    return { userId: found.userId }
  },
})
