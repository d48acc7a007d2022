import type { AbiParameter } from '../../../../policy/contracts/ethereum/abi_types.ts'

/** The role of an argument of a token's function. */
type TokenRole = 'from' | 'to' | 'spender' | 'operator' | 'amount' | 'approved'

/** A function of tokens that is known here without an interface. */
export type TokenFunction = {
  readonly name: 'transfer' | 'transferFrom' | 'approve' | 'increaseAllowance' | 'setApprovalForAll'
  readonly roles: readonly TokenRole[]
  /** ERC-721 has a function with this selector, whose number names a token. */
  readonly isTokenId: boolean
}

/** ERC-20, ERC-721 and ERC-1155 by selector, as TRC-20 and TRC-721 have them too. */
export const tokenFunctions: ReadonlyMap<string, TokenFunction> = new Map([
  ['a9059cbb', { name: 'transfer', roles: ['to', 'amount'], isTokenId: false }],
  ['23b872dd', { name: 'transferFrom', roles: ['from', 'to', 'amount'], isTokenId: true }],
  ['095ea7b3', { name: 'approve', roles: ['spender', 'amount'], isTokenId: true }],
  // OpenZeppelin's ERC-20 had it until version 5.
  ['39509351', { name: 'increaseAllowance', roles: ['spender', 'amount'], isTokenId: false }],
  ['a22cb465', { name: 'setApprovalForAll', roles: ['operator', 'approved'], isTokenId: false }],
])

const types: Readonly<Record<TokenRole, AbiParameter['type']>> = {
  from: { kind: 'address' },
  to: { kind: 'address' },
  spender: { kind: 'address' },
  operator: { kind: 'address' },
  amount: { kind: 'integer', signed: false, bits: 256 },
  approved: { kind: 'bool' },
}

export function parametersOf({ roles }: TokenFunction): readonly AbiParameter[] {
  return roles.map((role) => ({ name: role, type: types[role] }))
}

/** A name without what people read over: the case of its letters, and `_`. */
export function plainName(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/** Names for the account that gives, and for the one that gets or may spend, in small letters without `_`. */
const givers = new Set(['from', 'sender', 'src', 'source', 'owner', 'holder', 'payer', 'tokenowner'])
const takers = new Set([
  'to',
  'recipient',
  'receiver',
  'dst',
  'dest',
  'destination',
  'beneficiary',
  'payee',
  'spender',
  'operator',
])

/** Whether parameters have names of other roles than the known ones: who gives would read as who gets. */
export function namesOtherRoles(
  known: { readonly parameters: readonly AbiParameter[] },
  declared: readonly AbiParameter[],
): boolean {
  const roles = known.parameters.map(({ name, type }) => ({
    plain: plainName(name),
    isAddress: type.kind === 'address',
  }))
  if (!roles.some(({ plain }) => givers.has(plain) || takers.has(plain))) return false
  return declared.some(({ name }, index) => {
    const plain = plainName(name)
    const role = roles[index]
    if (givers.has(plain)) return role === undefined || !givers.has(role.plain)
    return takers.has(plain) && (role === undefined || !role.isAddress || givers.has(role.plain))
  })
}
