import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { fields, NotYet, optional, PhoneNumberOrNone, Uuid } from '../fields.ts'
import { user } from '../needs.ts'

export default defineActivity({
  name: 'update_user_phone_number',
  summary: "Sets a user's phone number, or removes it when the number is an empty text.",
  type: 'ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER',
  intentKey: 'updateUserPhoneNumberIntent',
  resultKey: 'updateUserPhoneNumberResult',
  policy: { resource: 'USER', action: 'UPDATE' },
  parameters: fields({ userId: Uuid, userPhoneNumber: PhoneNumberOrNone, verificationToken: optional(NotYet) }),
  result: Type.Object({ userId: Type.String() }),
  reads: ({ userId }) => [user(userId)],

  run({ organization, parameters, nowMs }) {
    const { userPhoneNumber: _, ...found } = organization.users.get(parameters.userId)
    const userPhoneNumber = parameters.userPhoneNumber === '' ? {} : { userPhoneNumber: parameters.userPhoneNumber }
    organization.users.put({ ...found, ...userPhoneNumber, updatedAtMs: nowMs })
    return { userId: found.userId }
  },
})
