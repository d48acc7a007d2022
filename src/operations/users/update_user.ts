import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import {
  Email,
  fields,
  Label,
  list,
  optional,
  PhoneNumber,
  tagsPerRequestMax,
  Uuid,
} from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each, user } from '../../contract/needs.ts'
import { withoutFormerContacts } from './shared/contact_changes.ts'
import { explainUser } from './shared/user_changes.ts'

export default defineActivity({
  name: 'update_user',
  summary: "Changes a user's name, e-mail address, phone number or tags. Absent fields stay as they are.",
  policy: { resource: 'USER', action: 'UPDATE' },
  parameters: fields({
    userId: Uuid,
    userName: optional(Label),
    userEmail: optional(Email),
    userTagIds: optional(list(Uuid, { itemsMax: tagsPerRequestMax })),
    userPhoneNumber: optional(PhoneNumber),
  }),
  result: Type.Object({ userId: Type.String() }),
  needs: ({ userId, userTagIds = [] }) => [user(userId), ...each('user_tag', userTagIds, 'parameters.userTagIds')],
  explain: ({ parameters, now }) => explainUser('update_user', parameters, now),

  run({ organization, parameters, submitted, nowMs }) {
    const { userId, userTagIds = [], ...named } = parameters
    const found = organization.users.get(userId)
    // Clients send an empty list if they change no tags. It must not take away tags that rules may go by.
    const tagged = userTagIds.length === 0 ? found : { ...found, userTags: distinctIds(userTagIds) }
    if (userTagIds.length > 0 || Object.keys(named).length > 0) {
      const changed = { ...tagged, ...named }
      organization.users.put(withoutFormerContacts(found, changed, { changedBy: submitted.apiKey, nowMs }))
    }
    return { userId: found.userId }
  },
})
