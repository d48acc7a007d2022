import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { EmailOrNone, fields, NotYet, optional, Uuid } from '../fields.ts'
import { user } from '../needs.ts'

export default defineActivity({
  name: 'update_user_email',
  summary: "Sets a user's e-mail address, or removes it when the address is an empty text.",
  type: 'ACTIVITY_TYPE_UPDATE_USER_EMAIL',
  intentKey: 'updateUserEmailIntent',
  resultKey: 'updateUserEmailResult',
  policy: { resource: 'USER', action: 'UPDATE' },
  parameters: fields({ userId: Uuid, userEmail: EmailOrNone, verificationToken: optional(NotYet) }),
  result: Type.Object({ userId: Type.String() }),
  reads: ({ userId }) => [user(userId)],

  run({ organization, parameters, nowMs }) {
    const { userEmail: _, ...found } = organization.users.get(parameters.userId)
    const userEmail = parameters.userEmail === '' ? {} : { userEmail: parameters.userEmail }
    organization.users.put({ ...found, ...userEmail, updatedAtMs: nowMs })
    return { userId: found.userId }
  },
})
