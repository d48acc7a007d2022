import type { ComponentType } from 'react'
import {
  ActivitiesIcon,
  AllowlistIcon,
  InboxIcon,
  KeyIcon,
  MfaIcon,
  OverviewIcon,
  PoliciesIcon,
  QuorumIcon,
  SettingsIcon,
  SubOrganizationsIcon,
  UsersIcon,
  WalletsIcon,
  WebhookIcon,
} from '../components/icons.tsx'
import type { Texts } from '../texts/types.ts'

export type Destination = {
  readonly to: string
  readonly name: keyof Texts['common']['navigation']
  readonly icon: ComponentType<{ readonly size?: number }>
  /** Whether the bar at the bottom of a narrow screen has it too. There is room for four. */
  readonly isInBar?: true
}

/** The navigation, in order. A new page adds its row here and its route in `routes.tsx`. */
export const groups: readonly {
  readonly name: keyof Texts['common']['navigation']
  readonly destinations: readonly Destination[]
}[] = [
  {
    name: 'groupWork',
    destinations: [
      { to: '/', name: 'overview', icon: OverviewIcon, isInBar: true },
      { to: '/inbox', name: 'inbox', icon: InboxIcon, isInBar: true },
      { to: '/activities', name: 'activities', icon: ActivitiesIcon, isInBar: true },
    ],
  },
  {
    name: 'groupOrganization',
    destinations: [
      { to: '/wallets', name: 'wallets', icon: WalletsIcon, isInBar: true },
      { to: '/private-keys', name: 'privateKeys', icon: KeyIcon },
      { to: '/users', name: 'users', icon: UsersIcon },
      { to: '/quorum', name: 'quorum', icon: QuorumIcon },
    ],
  },
  {
    name: 'groupRules',
    destinations: [
      { to: '/policies', name: 'policies', icon: PoliciesIcon },
      { to: '/mfa-policies', name: 'mfaPolicies', icon: MfaIcon },
    ],
  },
  {
    name: 'groupSettings',
    destinations: [
      { to: '/sub-organizations', name: 'subOrganizations', icon: SubOrganizationsIcon },
      { to: '/ip-allowlist', name: 'ipAllowlist', icon: AllowlistIcon },
      { to: '/webhooks', name: 'webhooks', icon: WebhookIcon },
      { to: '/settings', name: 'settings', icon: SettingsIcon },
    ],
  },
]
