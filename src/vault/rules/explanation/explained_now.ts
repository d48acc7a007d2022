import { accountAddressesMax, type Now, ownKeysMax } from '../../../contract/explanation/explain_context.ts'
import type { Value } from '../../../contract/explanation/explanation.ts'
import { text } from '../../../contract/explanation/shown_values.ts'
import { privateKeyFacts, walletFacts } from '../../../contract/record_facts.ts'
import { type Activity, isFinal } from '../../../contract/records/activity.ts'
import { everyRecordKind, type RecordKind, type RecordTypes, recordKinds } from '../../../contract/records/records.ts'
import { credentialKeyOf } from '../../../deciding/caller/credential_stamps.ts'
import { findRecord, trueRows } from '../../../deciding/organization/lookups.ts'
import { readerOf } from '../../../deciding/organization/organization_reader.ts'
import { together } from '../../../deciding/organization/reads_needed.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'
import { approvalForms, everyApproval } from '../../../deciding/rules/approver_facts.ts'
import { mailChoiceNeeds, nameInMails } from '../../../operations/sessions/shared/mail_choices.ts'
import { calledAddress } from '../../../operations/smart_contract_interfaces/shared/smart_contract_interfaces.ts'
import type { Own } from '../../../policy/openings/opened_deeds.ts'
import { lookupAddress } from '../../../protocol/chains/address_formats.ts'
import { lazily } from '../../../protocol/tools/lazily.ts'
import type { Reading } from '../../caller/request_context.ts'
import type { Evidence } from '../../state/evidence.ts'
import { lookupsOf } from '../../state/lookups.ts'
import type { Organization } from '../../state/organization.ts'
import { resolveNeeds } from '../../state/resolve.ts'

/** The names that people know records by. Kinds without a name have none here. */
const namesOf: { readonly [K in RecordKind]?: (record: RecordTypes[K]) => string | undefined } = {
  user: ({ userName }) => userName,
  wallet: ({ walletName }) => walletName,
  wallet_account: ({ name, address }) => name ?? address,
  private_key: ({ privateKeyName }) => privateKeyName,
  user_tag: ({ tagName }) => tagName,
  private_key_tag: ({ tagName }) => tagName,
  tvc_operator: ({ operatorName }) => operatorName,
  tvc_operator_set: ({ operatorSetName }) => operatorSetName,
  tvc_app: ({ appName }) => appName,
  oauth2_credential: ({ clientId }) => clientId,
  session_profile: ({ sessionProfileName }) => sessionProfileName,
  policy: ({ policyName }) => policyName,
  smart_contract_interface: ({ label }) => label,
  velocity_control: ({ name }) => name,
  webhook_endpoint: ({ name }) => name,
  invitation: ({ receiverUserName }) => receiverUserName,
}

const listedKinds = everyRecordKind.filter((kind) => recordKinds[kind].listed)

/** The organization as it is now, by its sealed records. `ids`: those whose names are asked for. */
export function nowOf(
  context: Reading,
  organization: Organization,
  { activity, ids }: { readonly activity: Activity; readonly ids: readonly string[] },
): Now {
  const { evidence, nowMs } = context
  const { organizationId, organizationName, rootQuorum } = organization.head
  requireNamed(organization, ids)
  const controls = lazily(
    () => new Map(organization.allListed('velocity_control').map((control) => [control.identifier, control])),
  )
  const parts = lazily(() => partsOfUsers(organization.allListed('user')))
  return {
    isBefore: !isFinal(activity.status),
    nowMs,
    organizationId,
    organizationName,
    rootQuorum,
    submitterKey: credentialKeyOf(submissionOf(activity)),
    approvalsAlone: lazily(() => organization.allListed('user').map(alone)),
    own: lazily(() => ownOf(organization, controls())),
    controls,
    find: (kind, recordId) => findRecord(organization, kind, recordId),
    nameInMails(chosen) {
      const asked = readerOf(resolveNeeds(context, organization, mailChoiceNeeds))
      const { mailDecider } = context.services
      return nameInMails(chosen, { organization: asked, caller: submissionOf(activity), mailDecider })
    },
    accountsAt: (addresses) => accountsAt(evidence, organization, addresses),
    interfacesAt: (address) =>
      organization.allListed('smart_contract_interface').filter((one) => calledAddress(one) === address),
    exists: (id) =>
      id === organizationId || listedKinds.some((kind) => organization.isListed(kind, id)) || parts().has(id),
    named(id) {
      if (id === organizationId) return idValue(id, 'organization', organizationName)
      const kind = listedKinds.find((one) => organization.isListed(one, id))
      if (kind !== undefined) return idValue(id, kind, nameOf(organization, kind, id))
      const part = parts().get(id)
      return part === undefined ? { kind: 'id', id } : idValue(id, part.of, part.name)
    },
  }
}

function ownOf(organization: Organization, controls: Own['controls']): Own {
  const first = <K extends 'wallet' | 'private_key'>(kind: K) => {
    const recordIds = [...(organization.head.listed.get(kind)?.keys() ?? [])].slice(0, ownKeysMax)
    organization.askFor(kind, recordIds)
    return recordIds.flatMap((recordId) => organization.listed(kind, recordId) ?? [])
  }
  return { wallets: first('wallet').map(walletFacts), privateKeys: first('private_key').map(privateKeyFacts), controls }
}

function alone(user: RecordTypes['user']) {
  const { userId, userEmail, userPhoneNumber, oauthProviders } = user
  const byKey = everyApproval(user)
  const lookups = [
    ...(oauthProviders.length === 0 ? [] : (['oidc_identity'] as const)),
    ...(userEmail === undefined && userPhoneNumber === undefined ? [] : (['verified_contact'] as const)),
  ]
  const attested = lookups.map((lookup) => ({ user, publicKey: '', attested: { lookup, key: '' } }))
  return { userId, ways: [byKey, ...[...byKey, ...attested].map((one) => [one])].flatMap(approvalForms) }
}

/** A lookup is a hint: `trueRows` takes only accounts that really have the address. */
function accountsAt(evidence: Evidence, organization: Organization, addresses: readonly string[]) {
  const { organizationId } = organization.head
  const asked = addresses.slice(0, accountAddressesMax).map((address) => () => {
    const hint = { lookup: 'address', key: lookupAddress(address) } as const
    const rows = trueRows(organization, lookupsOf(evidence, organizationId).rowsOf(hint), hint)
    return rows.flatMap(({ kind, recordId }) => {
      const account = kind === 'wallet_account' ? findRecord(organization, 'wallet_account', recordId) : undefined
      return account === undefined ? [] : [[address, account] as const]
    })
  })
  return new Map(together(asked).flat())
}

/** Asks at once for all users and for everything that the head lists by these ids. */
function requireNamed(organization: Organization, ids: readonly string[]): void {
  const byKind = listedKinds.map((kind) => [kind, ids.filter((id) => organization.isListed(kind, id))] as const)
  together([
    () => organization.allListed('user'),
    ...byKind.map(
      ([kind, recordIds]) =>
        () =>
          organization.askFor(kind, recordIds),
    ),
  ])
}

function nameOf<K extends RecordKind>(organization: Organization, kind: K, id: string): string | undefined {
  const record = organization.listed(kind, id)
  return record && namesOf[kind]?.(record)
}

export function idValue(id: string, of: string, name: string | undefined): Value {
  const shown = name === undefined ? undefined : text(name)
  return { kind: 'id', id, of, ...(shown?.kind === 'text' ? { name: shown.text } : {}) }
}

type Part = { readonly of: string; readonly name: string }

/** The parts of users that have ids of their own: keys, passkeys, identities and MFA policies. */
function partsOfUsers(users: readonly RecordTypes['user'][]): ReadonlyMap<string, Part> {
  return new Map<string, Part>(
    users.flatMap(({ apiKeys, authenticators, oauthProviders, mfaPolicies = [] }) => [
      ...apiKeys.map(({ apiKeyId, apiKeyName: name }) => [apiKeyId, { of: 'api_key', name }] as const),
      ...authenticators.map(
        ({ authenticatorId, authenticatorName: name }) => [authenticatorId, { of: 'authenticator', name }] as const,
      ),
      ...oauthProviders.map(
        ({ providerId, providerName: name }) => [providerId, { of: 'oauth_provider', name }] as const,
      ),
      ...mfaPolicies.map(({ mfaPolicyId, mfaPolicyName: name }) => [mfaPolicyId, { of: 'mfa_policy', name }] as const),
    ]),
  )
}
