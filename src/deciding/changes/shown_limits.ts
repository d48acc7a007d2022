import type { Limits } from '../../contract/limits.ts'
import { limitsDefault } from '../../contract/limits.ts'
import type { PublicChange } from '../../contract/records/public_changes.ts'
import type { User } from '../../contract/records/records.ts'
import type { RecordedOrganization } from '../organization/recorded_organization.ts'

/**
 * Returns limits by which an activity may have changed these records. No document names those of a server. Three of them
 * make older records give way to new ones, and what has given way shows them. The others refuse only.
 */
export function limitsShownBy(
  records: readonly PublicChange[],
  organization: Pick<RecordedOrganization, 'allListed'>,
): Limits {
  const none = Object.fromEntries(Object.keys(limitsDefault).map((name) => [name, Number.POSITIVE_INFINITY])) as Limits
  const ofKind = (kind: PublicChange['kind']) => records.filter((change) => change.kind === kind)
  const isEnded = ({ record }: PublicChange) => record === undefined
  const users = ofKind('user').flatMap(({ record }) => (record === undefined ? [] : [record as User]))
  const invitations = ofKind('invitation')
  const isInvitationReplaced = invitations.some(isEnded) && !invitations.every(isEnded)
  const isDeploymentReplaced = ofKind('tvc_deployment').some(isEnded)
  return {
    ...none,
    expiringApiKeysPerUserMax: Math.max(0, ...users.map(mostExpiringKeys)),
    ...(isInvitationReplaced ? { invitationsMax: sizeAfter(organization, invitations) } : {}),
    ...(isDeploymentReplaced ? { tvcDeploymentsMax: 0 } : {}),
  }
}

/** The largest number of expiring keys of one kind. */
function mostExpiringKeys({ apiKeys }: User): number {
  const expiring = apiKeys.filter(({ expirationSeconds }) => expirationSeconds !== undefined)
  const kinds = Map.groupBy(expiring, ({ credentialType }) => credentialType)
  return Math.max(0, ...[...kinds.values()].map(({ length }) => length))
}

function sizeAfter(
  { allListed }: Pick<RecordedOrganization, 'allListed'>,
  invitations: readonly PublicChange[],
): number {
  const ended = invitations.filter(({ record }) => record === undefined).length
  return allListed('invitation').length + invitations.length - 2 * ended
}
