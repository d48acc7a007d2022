import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { ErrorBox, Loading } from '../components/states.tsx'
import { NotFound, Shell } from './shell.tsx'

/**
 * The pages. Paths stand behind `#`, so that the server knows one path, `/`. Each page is loaded when it is first
 * opened; a new page is a folder in `pages/`, a row here and one in `navigation.ts`.
 */
const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })
const at = <const P extends string>(path: P) => ({ getParentRoute: () => root, path })

const routeTree = root.addChildren([
  createRoute({
    ...at('/'),
    component: lazyRouteComponent(() => import('../pages/overview/overview_page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    ...at('/inbox'),
    component: lazyRouteComponent(() => import('../pages/inbox/inbox_page.tsx'), 'InboxPage'),
  }),
  createRoute({
    ...at('/activities'),
    component: lazyRouteComponent(() => import('../pages/activities/activities_page.tsx'), 'ActivitiesPage'),
  }),
  createRoute({
    ...at('/activities/$activityId'),
    component: lazyRouteComponent(() => import('../pages/activities/activity_page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    ...at('/wallets'),
    component: lazyRouteComponent(() => import('../pages/wallets/wallets_page.tsx'), 'WalletsPage'),
  }),
  createRoute({
    ...at('/wallets/$walletId'),
    component: lazyRouteComponent(() => import('../pages/wallets/wallet_page.tsx'), 'WalletPage'),
  }),
  createRoute({
    ...at('/private-keys'),
    component: lazyRouteComponent(() => import('../pages/private_keys/private_keys_page.tsx'), 'PrivateKeysPage'),
  }),
  createRoute({
    ...at('/private-keys/$privateKeyId'),
    component: lazyRouteComponent(() => import('../pages/private_keys/private_key_page.tsx'), 'PrivateKeyPage'),
  }),
  createRoute({
    ...at('/users'),
    component: lazyRouteComponent(() => import('../pages/users/users_page.tsx'), 'UsersPage'),
  }),
  createRoute({
    ...at('/policies'),
    component: lazyRouteComponent(() => import('../pages/policies/policies_page.tsx'), 'PoliciesPage'),
  }),
  createRoute({
    ...at('/policies/new'),
    component: lazyRouteComponent(() => import('../pages/policies/edit_policy_page.tsx'), 'NewPolicyPage'),
  }),
  createRoute({
    ...at('/policies/$policyId'),
    component: lazyRouteComponent(() => import('../pages/policies/policy_page.tsx'), 'PolicyPage'),
  }),
  createRoute({
    ...at('/policies/$policyId/edit'),
    component: lazyRouteComponent(() => import('../pages/policies/edit_policy_page.tsx'), 'EditPolicyPage'),
  }),
  createRoute({
    ...at('/mfa-policies'),
    component: lazyRouteComponent(() => import('../pages/mfa_policies/mfa_policies_page.tsx'), 'MfaPoliciesPage'),
  }),
  createRoute({
    ...at('/mfa-policies/new'),
    component: lazyRouteComponent(() => import('../pages/mfa_policies/edit_mfa_policy_page.tsx'), 'NewMfaPolicyPage'),
  }),
  createRoute({
    ...at('/mfa-policies/$userId/$mfaPolicyId'),
    component: lazyRouteComponent(() => import('../pages/mfa_policies/edit_mfa_policy_page.tsx'), 'EditMfaPolicyPage'),
  }),
  createRoute({
    ...at('/users/$userId'),
    component: lazyRouteComponent(() => import('../pages/users/user_page.tsx'), 'UserPage'),
  }),
  createRoute({
    ...at('/quorum'),
    component: lazyRouteComponent(() => import('../pages/quorum/quorum_page.tsx'), 'QuorumPage'),
  }),
  createRoute({
    ...at('/sub-organizations'),
    component: lazyRouteComponent(
      () => import('../pages/sub_organizations/sub_organizations_page.tsx'),
      'SubOrganizationsPage',
    ),
  }),
  createRoute({
    ...at('/sub-organizations/$subOrganizationId'),
    component: lazyRouteComponent(
      () => import('../pages/sub_organizations/sub_organization_page.tsx'),
      'SubOrganizationPage',
    ),
  }),
  createRoute({
    ...at('/ip-allowlist'),
    component: lazyRouteComponent(() => import('../pages/ip_allowlist/ip_allowlist_page.tsx'), 'IpAllowlistPage'),
  }),
  createRoute({
    ...at('/webhooks'),
    component: lazyRouteComponent(() => import('../pages/webhooks/webhooks_page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    ...at('/webhooks/$endpointId'),
    component: lazyRouteComponent(() => import('../pages/webhooks/endpoint_page.tsx'), 'EndpointPage'),
  }),
  createRoute({
    ...at('/settings'),
    component: lazyRouteComponent(() => import('../pages/settings/settings_page.tsx'), 'SettingsPage'),
  }),
  createRoute({
    ...at('/account'),
    component: lazyRouteComponent(() => import('../pages/account/account_page.tsx'), 'AccountPage'),
  }),
])

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    history: createHashHistory(),
    defaultPreload: 'intent',
    defaultPendingComponent: Loading,
    defaultErrorComponent: ErrorBox,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
