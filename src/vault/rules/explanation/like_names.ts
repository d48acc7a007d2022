import type { BoundActivity } from '../../../contract/define.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { noteOf, text } from '../../../contract/explanation/values.ts'
import { normalized } from '../../../protocol/tools/normalized.ts'
import type { Organization } from '../../state/organization.ts'
import { namedTextsIn, textUnder } from './parameters_in.ts'

const namesOfUsers: ReadonlySet<string> = new Set(['userName', 'receiverUserName'])

/** Warns of a new name of a user that looks like that of another user, also in the same request: users may have one name. */
export function warningsOfLikeNames(
  { operation, parameters }: Pick<BoundActivity, 'operation' | 'parameters'>,
  { organization, now }: { readonly organization: Organization; readonly now: Now },
): readonly Note[] {
  if (!now.isBefore) return []
  const names = [...namedTextsIn(parameters)].flatMap(([name, value]) => (namesOfUsers.has(name) ? [value] : []))
  if (names.length === 0) return []
  const ownId = textUnder(parameters, 'userId')
  // The users of a new organization are not among those of this one.
  const isElsewhere = operation.name === 'create_sub_organization'
  const users = isElsewhere ? [] : organization.allListed('user').filter(({ userId }) => userId !== ownId)
  const byLook = new Map(users.map(({ userId, userName }) => [lookOf(userName), userId]))
  const inRequest = new Map<string, string>()
  return names.flatMap((name) => {
    const look = lookOf(name)
    const [known, other] = [byLook.get(look), inRequest.get(look)]
    inRequest.set(look, other ?? name)
    return [
      ...(known === undefined ? [] : [noteOf('looksLike', text(name), now.named(known))]),
      ...(other === undefined ? [] : [noteOf('looksLike', text(name), text(other))]),
    ]
  })
}

/** Letters and digits alone, without accents and capitals: nothing else tells two names apart at a glance. */
function lookOf(name: string): string {
  const letters = normalized(name, 'NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  return letters === '' ? name : letters
}
