import { useAsk } from '../state/queries.ts'
import type { KnownNames } from './completions.ts'

/** The ids of this organization that an expression may name. Empty as long as the answers are not there. */
export function useKnownNames(): KnownNames {
  const { data } = useAsk('get_organization', {})
  const { data: controls } = useAsk('list_velocity_controls', {})
  const { users = [], tags = [], wallets = [], privateKeys = [] } = data?.organizationData ?? {}
  return {
    users: users.map(({ userId, userName }) => ({ id: userId, name: userName })),
    userTags: tags
      .filter(({ tagType }) => tagType === 'TAG_TYPE_USER')
      .map(({ tagId, tagName }) => ({ id: tagId, name: tagName })),
    wallets: wallets.map(({ walletId, walletName }) => ({ id: walletId, name: walletName })),
    privateKeys: privateKeys.map(({ privateKeyId, privateKeyName }) => ({ id: privateKeyId, name: privateKeyName })),
    controls: (controls?.velocityControls ?? []).map(({ identifier, name }) => ({ id: identifier, name })),
  }
}
