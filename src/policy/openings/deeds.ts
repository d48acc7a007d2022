import { type ActivityForm, activityForms } from '../language/names/activity_forms.ts'

/** Deeds that decide over others or over keys, widen what others may do, or tell somebody what happens. The worst first. */
export const deeds = [
  'policies',
  'credentials',
  'keyExports',
  'users',
  'mfaPolicies',
  'signatures',
  'keyDeletions',
  'keyImports',
  'organizationSettings',
  'webhooks',
  'sessionProfiles',
  'contractInterfaces',
  'keyNames',
  'appDeployments',
] as const
export type Deed = (typeof deeds)[number]

/**
 * Deeds that give nobody anything, and change no rule about what there is. A login asks for a proof of who logs in. A new
 * key may have a tag or a name by which rules go, and holds nothing yet. A sub-organization has users of its own. A
 * repeated delivery goes to the address that the endpoint has. A new tag is none of these: users and keys have it at once,
 * and rules count tags.
 */
export const harmless = ['newKeys', 'newSubOrganizations', 'logins', 'endedInvitations', 'repeatedDeliveries'] as const

/** The kinds of activities about which policies decide, the worst first. */
export const kinds = [...deeds, ...harmless] as const
export type Kind = (typeof kinds)[number]

/** By the name of the type, by resource and action, or by the resource: the first that is here. */
const kindsOf: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['OAUTH2_AUTHENTICATE', 'logins'],
  ['OAUTH_LOGIN', 'logins'],
  ['OTP_LOGIN', 'logins'],
  ['STAMP_LOGIN', 'logins'],
  ['AUTH', 'organizationSettings'],
  // Who asks for codes of six digits and tries them is logged in as any user, after many tries. A token needs no login.
  ['OTP', 'credentials'],
  // Who asks for a recovery chooses the key that gets in if the user follows the mail.
  ['RECOVERY', 'credentials'],
  ['POLICY', 'policies'],
  ['CREDENTIAL', 'credentials'],
  ['INVITATION DELETE', 'endedInvitations'],
  ['INVITATION', 'users'],
  ['USER', 'users'],
  ['MFA_POLICY', 'mfaPolicies'],
  ['ON_RAMP_CREDENTIALS', 'organizationSettings'],
  ['ORGANIZATION CREATE', 'newSubOrganizations'],
  ['ORGANIZATION', 'organizationSettings'],
  ['PRIVATE_KEY CREATE', 'newKeys'],
  ['PRIVATE_KEY UPDATE', 'keyNames'],
  ['PRIVATE_KEY SIGN', 'signatures'],
  ['PRIVATE_KEY EXPORT', 'keyExports'],
  ['PRIVATE_KEY IMPORT', 'keyImports'],
  ['CREATE_PRIVATE_KEY_TAG', 'keyNames'],
  ['DELETE_PRIVATE_KEY_TAGS', 'keyNames'],
  ['PRIVATE_KEY DELETE', 'keyDeletions'],
  ['WALLET CREATE', 'newKeys'],
  ['WALLET UPDATE', 'keyNames'],
  ['WALLET SIGN', 'signatures'],
  ['WALLET EXPORT', 'keyExports'],
  ['WALLET IMPORT', 'keyImports'],
  ['WALLET DELETE', 'keyDeletions'],
  ['SESSION_PROFILE', 'sessionProfiles'],
  ['SMART_CONTRACT_INTERFACE', 'contractInterfaces'],
  ['TVC_APP', 'appDeployments'],
  ['TVC_DEPLOYMENT', 'appDeployments'],
  ['REPLAY_WEBHOOK_DELIVERY', 'repeatedDeliveries'],
  ['WEBHOOK_ENDPOINT', 'webhooks'],
])

/** The kind of an activity. One that the table lacks counts as one that decides over others. Only policies count. */
export function kindOf({ texts }: Pick<ActivityForm, 'texts'>): Kind | 'noPolicies' {
  const [resource, action] = [texts.get('activity.resource'), texts.get('activity.action')]
  if (resource === undefined || resource === '') return 'noPolicies'
  const name = texts.get('activity.type')?.replace('ACTIVITY_TYPE_', '') ?? ''
  return kindsOf.get(name) ?? kindsOf.get(`${resource} ${action}`) ?? kindsOf.get(resource) ?? 'organizationSettings'
}

/** The activities about which policies decide. */
export const formsOfKinds = activityForms.flatMap((form) => {
  const kind = kindOf(form)
  return kind === 'noPolicies' ? [] : [{ kind, form }]
})

/** The activities that are deeds. */
export const graveForPolicies = formsOfKinds.flatMap(({ kind, form }) => {
  const deed = deeds.find((one) => one === kind)
  return deed === undefined ? [] : [{ deed, form }]
})

/**
 * The same for the scope of a session's profile. A login by the session's own key makes its user a credential without the
 * profile. Other logins ask for a proof that the session lacks.
 */
export const graveForSessions = [
  ...graveForPolicies,
  ...formsOfKinds.flatMap(({ form }) =>
    form.texts.get('activity.kind') === 'STAMP_LOGIN' ? [{ deed: 'credentials' as const, form }] : [],
  ),
]
