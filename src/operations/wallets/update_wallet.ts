import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, textChange } from '../../contract/explanation/changes.ts'
import { row } from '../../contract/explanation/shown_values.ts'
import { fields, Label, optional, Uuid } from '../../contract/fields/fields.ts'
import { requireUnusedByOthers } from '../../contract/fields/names.ts'
import { lookup, wallet } from '../../contract/needs.ts'

export default defineActivity({
  name: 'update_wallet',
  summary: 'Renames a wallet.',
  policy: { resource: 'WALLET', action: 'UPDATE' },
  parameters: fields({ walletId: Uuid, walletName: optional(Label) }),
  result: Type.Object({ walletId: Type.String() }),
  needs: ({ walletId, walletName }) => [
    wallet(walletId),
    ...(walletName === undefined ? [] : [lookup('wallet_name', walletName)]),
  ],
  explain: ({ parameters: { walletId, walletName }, now }) =>
    changesContent(now, {
      code: 'update_wallet',
      subject: [now.named(walletId)],
      rows: [row('wallet', now.named(walletId))],
      changes: { walletName: textChange(now.find('wallet', walletId)?.walletName, walletName) },
    }),

  run({ organization, parameters: { walletId, walletName } }) {
    const found = organization.wallets.get(walletId)
    if (walletName !== undefined) {
      const named = organization.found('wallet', 'wallet_name', walletName)
      requireUnusedByOthers(named, (other) => other.walletId === found.walletId, 'parameters.walletName')
      organization.wallets.put({ ...found, walletName })
    }
    return { walletId: found.walletId }
  },
})
