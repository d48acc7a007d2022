import type { BoundActivity } from '../../../contract/define.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { list, namedInTitle, noteOf } from '../../../contract/explanation/shown_values.ts'
import { knownOfInvitation } from '../../../contract/records/known_values.ts'
import type { Organization } from '../../state/organization.ts'
import { textUnder } from './parameters_in.ts'
import { goByValue, rulesByValues, testsGiven, testsOfPolicy } from './rules_by_values.ts'

/**
 * Warns of open invitations by whose tags, address or name a rule of the request goes, or one that an updated policy keeps. Nobody decides about it when somebody accepts an invitation.
 */
export function warningsOfInvited(
  { operation, parameters }: Pick<BoundActivity, 'operation' | 'parameters'>,
  { organization, now }: { readonly organization: Organization; readonly now: Now },
): readonly Note[] {
  const { policy } = operation
  if (!now.isBefore || (typeof policy === 'object' && policy.action === 'DELETE')) return []
  const kept = now.find('policy', textUnder(parameters, 'policyId') ?? '')
  const rules = rulesByValues([...testsGiven(parameters), ...(kept === undefined ? [] : testsOfPolicy(kept))])
  if (rules.tests.length === 0) return []
  const open = organization
    .allListed('invitation')
    .filter(({ status, expiresAtMs }) => status === 'INVITATION_STATUS_CREATED' && now.nowMs < expiresAtMs)
  const named = open.filter((one) =>
    knownOfInvitation(one).some((value) => goByValue(rules, { kind: 'invitation', isNew: true, value })),
  )
  if (named.length === 0) return []
  return [noteOf('namesInvited', list(namedInTitle(named.map(({ invitationId }) => now.named(invitationId)))))]
}
