import type { BoundActivity } from '../../../contract/define.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { noteOf, text } from '../../../contract/explanation/shown_values.ts'
import { asciiLookOf } from '../../../protocol/tools/ascii_looks.ts'
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
  const byLook = new Map(users.flatMap(({ userId, userName }) => looksOf(userName).map((look) => [look, userId])))
  const inRequest = new Map<string, string>()
  return names.flatMap((name) => {
    const looks = looksOf(name)
    const [known, other] = [byLook, inRequest].map((names) =>
      looks.map((look) => names.get(look)).find((found) => found !== undefined),
    )
    for (const look of looks) inRequest.set(look, inRequest.get(look) ?? name)
    return [
      ...(known === undefined ? [] : [noteOf('looksLike', text(name), now.named(known))]),
      ...(other === undefined ? [] : [noteOf('looksLike', text(name), text(other))]),
    ]
  })
}

/**
 * Letters and digits alone, without accents and capitals: nothing else tells two names apart at a glance. Also in capitals
 * of the letters of ASCII that they look like (UTS #39): one letter may have two cases that look like different ones.
 */
function looksOf(name: string): readonly string[] {
  const plain = normalized(name, 'NFKD').replace(/\p{M}/gu, '')
  const letters = lettersOf(plain.toLowerCase())
  if (letters === '') return [name]
  return [letters, lettersOf(skeletonOf(skeletonOf(plain).toUpperCase()))]
}

const lettersOf = (given: string) => given.replace(/[^\p{L}\p{N}]/gu, '')

function skeletonOf(given: string): string {
  const ascii = [...given].map((letter) => asciiLookOf(letter) ?? letter).join('')
  return ascii
    .replace(/[1iIl|]/g, 'L')
    .replaceAll('0', 'O')
    .replace(/m/gi, 'rn')
}
