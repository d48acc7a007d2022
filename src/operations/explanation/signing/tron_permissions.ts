import { isStruct, type Value as Seen, type Struct, structsIn } from '../../../policy/language/values.ts'
import type { Note, Title } from '../explanation.ts'
import { address, none, noteOf, number } from '../values.ts'

/**
 * The title of a change of permissions. It takes the place of all that the account has, and the transaction does not say what
 * that is. So it is certain only who decides afterwards.
 */
export function permissionTitle({ owner_address: account, owner }: Struct): Title {
  const keys = keysIn(owner)
  const fewest = fewestOf(owner)
  return {
    code: 'replaceKeys',
    values: [address(String(account)), fewest === undefined ? none : number(fewest), number(keys.length)],
  }
}

/** How few keys of a permission are enough. Undefined if all together are not. */
function fewestOf(permission: Seen | undefined): number | undefined {
  const threshold = permission !== undefined && isStruct(permission) ? Number(permission.threshold ?? 0) : 0
  const weights = keysIn(permission)
    .map(({ weight }) => Number(weight))
    .toSorted((one, other) => other - one)
  let sum = 0
  const last = weights.findIndex((weight) => {
    sum += weight
    return sum >= threshold
  })
  return last === -1 ? undefined : last + 1
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
