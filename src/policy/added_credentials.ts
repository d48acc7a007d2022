import type { Approvals } from './evaluate_policies.ts'
import { credentialTypes } from './language/names/keywords.ts'
import { type Expression, everyPart } from './language/syntax.ts'
import type { Struct } from './language/values.ts'
import type { CompiledExpression } from './policy_expressions.ts'

type Candidate = { readonly ways: readonly Approvals[] }

/**
 * The users with the approvals that each could give as well after adding credentials, and getting a tag, an address or a
 * name that the consensus writes and no user has yet. Every user may add credentials: a policy that waits for one that
 * nobody has is there for whoever adds it first. The first of the ways is that with all credentials of the user.
 */
export function withAdded<T extends Candidate>(
  { root }: Pick<CompiledExpression, 'root'>,
  candidates: readonly T[],
): readonly T[] {
  const written = [...new Set(textsIn(root))]
  const held = new Set(candidates.flatMap(({ ways }) => ways.flatMap(textsOf)))
  const unheld = written.filter((text) => !held.has(text))
  const areCounted = countsCredentials(root)
  if (unheld.length === 0 && !areCounted) return candidates
  const named = credentialTypes.filter((type) => written.includes(type))
  const added = { unheld, types: named.length === 0 ? [apiKey] : named, areCounted }
  return candidates.map((candidate) => ({
    ...candidate,
    ways: [...candidate.ways, ...candidate.ways.slice(0, 1).flatMap((all) => waysWith(all, added))],
  }))
}

export const apiKey = 'CREDENTIAL_TYPE_API_KEY_P256'

/** Texts that each user is tried with alone. All of them are tried together. */
const triedAloneMax = 8
/** More credentials than a consensus counts. */
const addedMax = 20

type Added = {
  readonly unheld: readonly string[]
  readonly types: readonly string[]
  readonly areCounted: boolean
}

function waysWith({ approvers, credentials }: Approvals, { unheld, types, areCounted }: Added): readonly Approvals[] {
  const [user] = approvers
  if (user === undefined) return []
  const tagged = { ...user, tags: [...listOf(user.tags), ...unheld] }
  const withText = (text: string) =>
    types.map((type) => ({ id: text, user_id: user.id, type, credential_id: text, public_key: text }))
  const others = areCounted ? Array.from({ length: addedMax }, (_, index) => `\0${index}`) : []
  const together = { approvers: [tagged], credentials: [...credentials, ...[...unheld, ...others].flatMap(withText)] }
  const alone = unheld.slice(0, triedAloneMax).flatMap((text) =>
    withText(text).map((credential) => ({
      approvers: [{ ...tagged, email: text, alias: text }],
      credentials: [credential],
    })),
  )
  return [together, ...alone]
}

/** How many credentials there are is no matter of who has them: one user may add as many. */
function countsCredentials(root: Expression): boolean {
  return [...everyPart(root)].some(
    (part) =>
      part.kind === 'count' && [...everyPart(part.of)].some((one) => one.kind === 'name' && one.name === 'credentials'),
  )
}

/** The texts that an expression writes. */
export function textsIn(root: Expression): readonly string[] {
  return [...everyPart(root)].flatMap((part) => (part.kind === 'string' ? [part.value] : []))
}

function textsOf({ approvers, credentials }: Approvals): readonly string[] {
  return [...approvers, ...credentials].flatMap((one) => Object.values(one).flatMap(listOf))
}

function listOf(value: Struct[string]): readonly string[] {
  return [value].flat().flatMap((one) => (typeof one === 'string' ? [one] : []))
}
