import type { Steps } from '../../protocol/tools/steps.ts'
import type { Approvals } from '../decision/policy_evaluator.ts'
import type { CompiledExpression } from '../decision/policy_expressions.ts'
import type { Struct } from '../language/expression_values.ts'
import { credentialTypes } from '../language/names/keywords.ts'
import { type Expression, everyPart, textsIn } from '../language/syntax.ts'
import { atBest, type Chosen, countedIn, type Held } from './at_best.ts'

type Root = Pick<CompiledExpression, 'root'>
type Candidate = { readonly ways: readonly Approvals[] }

/**
 * A consensus as it is for a user who may add credentials, which every user may. If it waits for a key that nobody has,
 * or for a piece of one, any user can add that key first. `isNamed`: whether every user may get a tag, an address or a
 * name that the consensus writes and that no user has yet.
 */
export function forAdders({ root }: Root, held: Held, { isNamed }: { isNamed: boolean }): Root {
  const of: Chosen['of'] = new Set(isNamed ? ['credentials', 'approvers'] : ['credentials'])
  return { root: atBest(root, { held, of }) }
}

/** The texts that users and their credentials have. */
export function* heldBy(candidates: readonly Candidate[]): Steps<Held> {
  const held = { approvers: new Set<string>(), credentials: new Set<string>() }
  for (const { ways } of candidates) {
    yield
    for (const { approvers, credentials } of ways) {
      for (const text of approvers.flatMap(textsOf)) held.approvers.add(text)
      for (const text of credentials.flatMap(textsOf)) held.credentials.add(text)
    }
  }
  const pieces = new Map<string, boolean>()
  const isPiece = (text: string) => {
    const found = pieces.get(text) ?? held.approvers.values().some((one) => one.includes(text))
    pieces.set(text, found)
    return found
  }
  return { ...held, isPiece }
}

/**
 * The users with the approvals that each could give as well after adding credentials. The first of the ways of each is
 * that with all credentials of the user.
 */
export function withAdded<T extends Candidate>({ root }: Root, candidates: readonly T[]): readonly T[] {
  const types = typesFor(root)
  const count = countedIn(root) + 1
  return candidates.map((candidate) => ({
    ...candidate,
    ways: [...candidate.ways, ...candidate.ways.slice(0, 1).flatMap((all) => waysWith(all, { types, count }))],
  }))
}

function waysWith(
  { approvers, credentials }: Approvals,
  { types, count }: { readonly types: readonly string[]; readonly count: number },
): readonly Approvals[] {
  const userId = approvers[0]?.id
  const added = types.map((type) =>
    Array.from({ length: count }, (_, index) => {
      const text = `\0${index}`
      const credentialId = type === passkey ? text : ''
      return { id: text, user_id: userId, type, credential_id: credentialId, public_key: text }
    }),
  )
  return [[...credentials, ...added.flat()], added.flat(), ...added].map((used) => ({ approvers, credentials: used }))
}

const passkey = 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'

/**
 * The types of credentials that a consensus tells apart: those that it names, and one of the others, which are alike.
 * One that reads a piece of a type may tell all apart.
 */
export function typesFor(root: Expression): readonly string[] {
  const isPiece = ({ kind, of }: { kind: string; of?: Expression }) =>
    (kind === 'slice' || kind === 'index') && of?.kind === 'field' && of.name === 'type'
  if ([...everyPart(root)].some(isPiece)) return credentialTypes
  const written = textsIn(root)
  const isNamed = (type: string) => written.includes(type)
  return [...credentialTypes.filter(isNamed), ...credentialTypes.filter((type) => !isNamed(type)).slice(0, 1)]
}

function textsOf(one: Struct): readonly string[] {
  return Object.values(one)
    .flat()
    .filter((value) => typeof value === 'string')
}
