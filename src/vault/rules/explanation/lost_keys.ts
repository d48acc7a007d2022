import type { BoundActivity } from '../../../contract/define.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { list, namedInTitle, noteOf } from '../../../contract/explanation/shown_values.ts'
import { isTrueUnder, textsUnder } from './parameters_in.ts'

/**
 * Warns of keys that are deleted without an export: nobody has them afterwards. Accounts that are deleted alone are not
 * lost, since their wallet derives them again.
 */
export function warningsOfLostKeys(
  { operation, parameters }: Pick<BoundActivity, 'operation' | 'parameters'>,
  now: Now,
): readonly Note[] {
  if (!now.isBefore || !isTrueUnder(parameters, 'deleteWithoutExport')) return []
  const lost = new Set([
    ...(operation.endsOrganization === true ? [now.organizationId] : []),
    ...textsUnder(parameters, 'walletIds').filter((id) => now.find('wallet', id)?.exported === false),
    ...textsUnder(parameters, 'privateKeyIds').filter((id) => now.find('private_key', id)?.exported === false),
  ])
  return lost.size === 0 ? [] : [noteOf('keysLost', list(namedInTitle([...lost].map((id) => now.named(id)))))]
}
