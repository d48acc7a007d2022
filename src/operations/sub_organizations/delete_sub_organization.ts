import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { flag, row } from '../../contract/explanation/shown_values.ts'
import { DeleteWithoutExport } from '../../contract/fields/deletions.ts'
import { fields } from '../../contract/fields/fields.ts'
import { asId } from '../../contract/fields/ids.ts'
import { all, maybe, ofParent } from '../../contract/needs.ts'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'

export default defineActivity({
  name: 'delete_sub_organization',
  summary: 'Deletes the sub-organization that receives the request, with everything in it.',
  policy: { resource: 'ORGANIZATION', action: 'DELETE' },
  parameters: fields({ deleteWithoutExport: DeleteWithoutExport }),
  result: Type.Object({ subOrganizationUuid: Type.String() }),
  endsOrganization: true,
  needs: ({ deleteWithoutExport }, organizationId) => [
    ofParent(maybe('sub_organization', asId(organizationId))),
    ...(deleteWithoutExport === true ? [] : [all('wallet'), all('private_key')]),
  ],
  explain: ({ parameters: { deleteWithoutExport }, now }) =>
    changesContent(now, {
      code: 'delete_sub_organization',
      subject: [now.named(now.organizationId)],
      rows: [
        row('deleted', now.named(now.organizationId)),
        row('deleteWithoutExport', flag(deleteWithoutExport === true)),
      ],
    }),

  run({ organization, parameters: { deleteWithoutExport } }) {
    const { organizationId, parent } = organization
    if (parent === undefined) throw fieldInvalid('organizationId', 'that of a sub-organization')
    if (deleteWithoutExport !== true) {
      const wallet = organization.wallets.all().find(({ exported }) => !exported)
      const privateKey = organization.privateKeys.all().find(({ exported }) => !exported)
      if (wallet !== undefined) throw keptBy(`wallet ${wallet.walletId}`)
      if (privateKey !== undefined) throw keptBy(`private key ${privateKey.privateKeyId}`)
    }
    // The parent lists its sub-organizations in these records. A lost record does not keep the sub-organization.
    if (parent.subOrganizations.find(organizationId) !== undefined) parent.subOrganizations.remove(organizationId)
    return { subOrganizationUuid: organizationId }
  },
})

function keptBy(key: string): Failure {
  return new Failure('FIELD_INVALID', {
    fieldPath: 'parameters.deleteWithoutExport',
    expected: 'true, to lose keys that were never exported',
    reason: `${key} has not been exported`,
  })
}
