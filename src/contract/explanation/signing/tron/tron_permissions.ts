import { isStruct, type Value as Seen, type Struct, structsIn } from '../../../../policy/language/expression_values.ts'
import type { Note, Title, Value } from '../../explanation.ts'
import { address, none, noteOf, number } from '../../shown_values.ts'

/**
 * The title of a change of permissions. It takes the place of all that the account has, and the transaction does not say what
 * that is. So it is certain only who decides afterwards: by the permission that needs the fewest keys, since an active one
 * usually may do nearly all that the owner may.
 */
export function permissionTitle({ owner_address: account, owner, actives }: Struct): Title {
  const permissions = [owner, ...structsIn(actives)].map((one) => ({
    count: keysIn(one).length,
    fewest: fewestOf(one),
  }))
  const [easiest] = permissions.toSorted((one, other) => (one.fewest ?? Infinity) - (other.fewest ?? Infinity))
  const { fewest, count = 0 } = easiest ?? {}
  return {
    code: 'replaceKeys',
    values: [address(String(account)), fewest === undefined ? none : number(fewest), number(count)],
  }
}

/** How few keys of a permission are enough. Undefined if all together are not. Weights have up to 63 bits. */
function fewestOf(permission: Seen | undefined): number | undefined {
  const { threshold, keys } = weighed(permission)
  const weights = keys.map(({ weight }) => weight).toSorted((one, other) => (one < other ? 1 : -1))
  let sum = 0n
  const last = weights.findIndex((weight) => {
    sum += weight
    return sum >= threshold
  })
  return last === -1 ? undefined : last + 1
}

function weighed(permission: Seen | undefined) {
  const keys = keysIn(permission).map(({ address: of, weight }) => ({ address: of, weight: wholeOf(weight) }))
  const threshold = permission !== undefined && isStruct(permission) ? wholeOf(permission.threshold) : 0n
  return { threshold, keys }
}

function wholeOf(value: Seen | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n
}

function keysIn(permission: Seen | undefined): readonly Struct[] {
  return permission !== undefined && isStruct(permission) ? structsIn(permission.keys) : []
}

/**
 * The holders of a permission's keys control the account. The key that signs, `own`, may lose it, and an active
 * permission may replace all that the transaction sets.
 */
export function permissionNotes(
  { type, owner_address: account, owner, witness, actives }: Struct,
  own: string | undefined,
): readonly Note[] {
  if (type !== 'AccountPermissionUpdateContract') return []
  const shown = address(String(account))
  const keys = [owner, witness, ...structsIn(actives)].flatMap((permission) =>
    keysIn(permission).map((key) => key.address),
  )
  return [
    ...structsIn(actives)
      .filter(mayUpdatePermissions)
      .map((active) => replacesNote(active, shown)),
    ...[...new Set(keys)]
      .filter((one) => one !== own)
      .map((one) => noteOf('changesControl', shown, address(String(one)))),
    ...(own === undefined || hasSay(owner, own) ? [] : [noteOf('losesControl', address(own), shown)]),
  ]
}

/** The number of `AccountPermissionUpdateContract` among the types of contracts. */
const permissionUpdate = 46

/** `operations` has a bit for each type of contract, beginning with the lowest of the first byte. */
function mayUpdatePermissions({ operations }: Struct): boolean {
  const at = Math.floor(permissionUpdate / 8)
  const byte = Number.parseInt(String(operations ?? '').slice(2 * at, 2 * at + 2), 16)
  return ((byte >> (permissionUpdate % 8)) & 1) === 1
}

function replacesNote(active: Struct, account: Value): Note {
  const fewest = fewestOf(active)
  return noteOf('replacesOwner', account, fewest === undefined ? none : number(fewest), number(keysIn(active).length))
}

/** The chain takes five keys in a permission. */
const othersMax = 10

/**
 * Whether anything hangs on a key: it decides alone, or no other does and it makes some of them enough. Beside more
 * than `othersMax` others, it has to decide alone.
 */
function hasSay(permission: Seen | undefined, own: string): boolean {
  const { threshold, keys } = weighed(permission)
  const weight = keys.reduce((sum, key) => (key.address === own ? sum + key.weight : sum), 0n)
  if (weight >= threshold) return keys.some((key) => key.address === own)
  const others = keys.filter((key) => key.address !== own).map((key) => key.weight)
  if (others.length > othersMax || others.some((other) => other >= threshold)) return false
  let sums = [0n]
  for (const other of others) sums = [...sums, ...sums.map((sum) => sum + other)]
  return sums.some((sum) => sum < threshold && sum + weight >= threshold)
}
