import type { Queries } from '../../api/operations.ts'
import { useSubmit } from '../../state/queries.ts'

export type Tag = Queries['list_user_tags']['result']['userTags'][number]

/** Tags are put on users or on private keys. The interface has operations of its own for each. */
export type TagKind = 'user' | 'privateKey'

export type TagChange = {
  readonly tagId: string
  readonly name?: string
  /** The ids of users or private keys that get the tag. */
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/** Changes tags of one kind. `onDone` is called once the server has taken the change up. */
export function useTagChanges(kind: TagKind, onDone: () => void = () => undefined) {
  const onUsers = useSubmit('update_user_tag', { onDone })
  const onKeys = useSubmit('update_private_key_tag', { onDone })
  const { isPending, error } = kind === 'user' ? onUsers : onKeys
  return {
    isPending,
    error,
    change({ tagId, name, add = [], remove = [] }: TagChange) {
      if (kind === 'user') {
        const named = name === undefined ? {} : { newUserTagName: name }
        onUsers.mutate({ userTagId: tagId, ...named, addUserIds: add, removeUserIds: remove })
      } else {
        const named = name === undefined ? {} : { newPrivateKeyTagName: name }
        onKeys.mutate({ privateKeyTagId: tagId, ...named, addPrivateKeyIds: add, removePrivateKeyIds: remove })
      }
    },
  }
}
