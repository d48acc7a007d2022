import { isStruct, type Value as Seen, type Struct, structsIn } from '../../../policy/language/values.ts'
import type { Note, Title } from '../explanation.ts'
import { address, none, noteOf, number } from '../values.ts'

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
  const threshold = permission !== undefined && isStruct(permission) ? wholeOf(permission.threshold) : 0n
  const weights = keysIn(permission)
    .map(({ weight }) => wholeOf(weight))
    .toSorted((one, other) => (one < other ? 1 : -1))
  let sum = 0n
  const last = weights.findIndex((weight) => {
    sum += weight
    return sum >= threshold
  })
  return last === -1 ? undefined : last + 1
}

function wholeOf(value: Seen | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n
}

function keysIn(permission: Seen | undefined): readonly Struct[] {
  return permission !== undefined && isStruct(permission) ? structsIn(permission.keys) : []
}

/**
 * Whoever has a key of a permission controls the account. That of the account itself may be lost to another one.
 * `own`: the key that signs.
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
  const isOwner = keysIn(owner).some((key) => key.address === own)
  return [
    ...[...new Set(keys)]
      .filter((one) => one !== own)
      .map((one) => noteOf('changesControl', shown, address(String(one)))),
    ...(own === undefined || isOwner ? [] : [noteOf('losesControl', address(own), shown)]),
  ]
}
