import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { view } from '../../contract/fields/named.ts'
import { all } from '../../contract/needs.ts'
import { FeatureView, featureViews } from '../../contract/records/features.ts'
import {
  PrivateKeyView,
  privateKeyView,
  QuorumView,
  TagView,
  tagView,
  UserView,
  userView,
  WalletView,
  walletView,
} from '../../contract/records/views.ts'
import { InvitationView, invitationView } from '../invitations/shared/invitations.ts'
import { PolicyView, policyView } from '../policies/shared/policies.ts'
import {
  SmartContractInterfaceReference,
  smartContractInterfaceReference,
} from '../smart_contract_interfaces/shared/smart_contract_interfaces.ts'

export default defineQuery({
  name: 'get_organization',
  summary: 'Returns the organization with its users, policies, keys and wallets.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({
    organizationData: view('OrganizationData', {
      organizationId: Type.String(),
      name: Type.String(),
      users: Type.Array(UserView),
      policies: Type.Array(PolicyView),
      privateKeys: Type.Array(PrivateKeyView),
      invitations: Type.Array(InvitationView),
      tags: Type.Array(TagView),
      rootQuorum: QuorumView,
      features: Type.Array(FeatureView),
      wallets: Type.Array(WalletView),
      smartContractInterfaceReferences: Type.Array(SmartContractInterfaceReference),
    }),
  }),
  needs: () => [
    ...[all('user'), all('private_key'), all('wallet'), all('user_tag'), all('private_key_tag')],
    ...[all('policy'), all('invitation'), all('feature'), all('smart_contract_interface')],
  ],

  run({ organization }) {
    const { organizationId, organizationName, rootQuorum, users, privateKeys, wallets, features } = organization
    const { userTags, privateKeyTags, policies } = organization
    return {
      organizationData: {
        organizationId,
        name: organizationName,
        users: users.all().map(userView),
        policies: policies.all().map(policyView),
        privateKeys: privateKeys.all().map(privateKeyView),
        invitations: organization.invitations.all().map(invitationView),
        tags: [
          ...userTags.all().map((tag) => tagView(tag, 'user')),
          ...privateKeyTags.all().map((tag) => tagView(tag, 'private_key')),
        ],
        rootQuorum: { threshold: rootQuorum.threshold, userIds: [...rootQuorum.userIds] },
        features: featureViews(features.all()),
        wallets: wallets.all().map(walletView),
        smartContractInterfaceReferences: organization.smartContractInterfaces
          .all()
          .map(smartContractInterfaceReference),
      },
    }
  },
})
