import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { AbiParameter } from '../../../../policy/contracts/ethereum/abi_types.ts'
import { keccak256 } from '../../../../protocol/crypto/keccak.ts'
import { callHolders, type HeldCalls } from './call_holders.ts'
import { hashedText, type Signature, signatureOf, typesText } from './function_signatures.ts'
import { namesOtherRoles, parametersOf, plainName, tokenFunctions } from './token_functions.ts'

/** What a call gives, and to whom, by the names of its parameters. */
export type Gift =
  /** Control of the contract, or of the one that `of` names. Without `to`, nobody has it afterwards. */
  | { readonly gives: 'control'; readonly to?: string; readonly of?: string }
  /** Others decide afterwards, or fewer. */
  | { readonly gives: 'otherControl' }
  /** Consent to what only a hash names. */
  | { readonly gives: 'consent' }
  /** Tokens, or the right to spend them. They are those of the contract, or of the one that `token` names. */
  | { readonly gives: 'tokens' | 'spending'; readonly to: string; readonly amount?: string; readonly token?: string }
  | { readonly gives: 'allTokens'; readonly to: string }
  | { readonly gives: 'newTokens'; readonly to: string; readonly amount: string }

export type KnownFunction = Signature & { readonly gift?: Gift | undefined; readonly calls?: HeldCalls | undefined }

const control = (to?: string, of?: string): Gift => ({
  ...{ gives: 'control', ...(to === undefined ? {} : { to }), ...(of === undefined ? {} : { of }) },
})
const otherControl: Gift = { gives: 'otherControl' }
const tokens = (to: string, amount?: string): Gift => ({
  gives: 'tokens',
  to,
  ...(amount === undefined ? {} : { amount }),
})

/**
 * Functions that decide much and that many contracts have alike. A selector has four bytes, so an ABI can give each of
 * them a harmless name: to find one costs 2^32 hashes. What stands here keeps its name, whatever an ABI says.
 */
const declared: readonly (readonly [declaration: string, gift?: Gift])[] = [
  // Owners and admins: OpenZeppelin, DSAuth, Solmate, Compound, Synthetix, proxies.
  ['transferOwnership(address newOwner)', control('newOwner')],
  ['safeTransferOwnership(address newOwner)', control('newOwner')],
  ['renounceOwnership()', control()],
  ['acceptOwnership()'],
  ['claimOwnership()'],
  ['setOwner(address owner)', control('owner')],
  ['changeOwner(address owner)', control('owner')],
  ['setPendingOwner(address owner)', control('owner')],
  ['nominateNewOwner(address owner)', control('owner')],
  ['setAuthority(address authority)', control('authority')],
  ['setAdmin(address admin)', control('admin')],
  ['changeAdmin(address newAdmin)', control('newAdmin')],
  ['setPendingAdmin(address admin)', control('admin')],
  ['acceptAdmin()'],
  ['setGovernance(address governance)', control('governance')],
  ['setGovernor(address governor)', control('governor')],
  ['setController(address controller)', control('controller')],
  ['setOperator(address operator)', control('operator')],
  ['setMinter(address minter)', control('minter')],
  ['addMinter(address minter)', control('minter')],
  ['transferProxyOwnership(address newOwner)', control('newOwner')],
  // Roles: AccessControl and AccessManager.
  ['grantRole(bytes32 role, address account)', control('account')],
  ['revokeRole(bytes32 role, address account)', otherControl],
  ['renounceRole(bytes32 role, address account)', otherControl],
  ['beginDefaultAdminTransfer(address newAdmin)', control('newAdmin')],
  ['acceptDefaultAdminTransfer()'],
  ['grantRole(uint64 role, address account, uint32 delay)', control('account')],
  ['revokeRole(uint64 role, address account)', otherControl],
  ['setTargetFunctionRole(address target, bytes4[] selectors, uint64 role)', otherControl],
  ['updateAuthority(address target, address newAuthority)', control('newAuthority', 'target')],
  // Upgrades: who writes the code controls the contract.
  ['upgradeTo(address newImplementation)', control('newImplementation')],
  ['upgradeToAndCall(address newImplementation, bytes data)', control('newImplementation')],
  ['setImplementation(address implementation)', control('implementation')],
  ['upgrade(address proxy, address implementation)', control('implementation', 'proxy')],
  ['upgradeAndCall(address proxy, address implementation, bytes data)', control('implementation', 'proxy')],
  ['changeProxyAdmin(address proxy, address newAdmin)', control('newAdmin', 'proxy')],
  [
    'diamondCut((address facet, uint8 action, bytes4[] selectors)[] cut, address initialization, bytes data)',
    otherControl,
  ],
  // Safe: owners, modules and guards.
  ['addOwnerWithThreshold(address owner, uint256 threshold)', control('owner')],
  ['removeOwner(address previousOwner, address owner, uint256 threshold)', otherControl],
  ['swapOwner(address previousOwner, address oldOwner, address newOwner)', control('newOwner')],
  ['changeThreshold(uint256 threshold)', otherControl],
  ['enableModule(address module)', control('module')],
  ['disableModule(address previousModule, address module)', otherControl],
  ['setGuard(address guard)', control('guard')],
  ['setModuleGuard(address guard)', control('guard')],
  ['setFallbackHandler(address handler)', control('handler')],
  ['approveHash(bytes32 hash)', { gives: 'consent' }],
  ['installModule(uint256 moduleType, address module, bytes data)', control('module')],
  ['uninstallModule(uint256 moduleType, address module, bytes data)', otherControl],
  // Tokens, beside the functions of `token_functions.ts`.
  ['decreaseAllowance(address spender, uint256 amount)'],
  [
    'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    { gives: 'spending', to: 'spender', amount: 'value' },
  ],
  [
    'permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
    { gives: 'spending', to: 'spender' },
  ],
  // Permit2.
  [
    'approve(address token, address spender, uint160 amount, uint48 expiration)',
    { gives: 'spending', to: 'spender', amount: 'amount', token: 'token' },
  ],
  [
    'transferFrom(address from, address to, uint160 amount, address token)',
    { gives: 'tokens', to: 'to', amount: 'amount', token: 'token' },
  ],
  // Single tokens, and tokens with several kinds.
  ['safeTransferFrom(address from, address to, uint256 tokenId)', tokens('to')],
  ['safeTransferFrom(address from, address to, uint256 tokenId, bytes data)', tokens('to')],
  ['safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)', tokens('to', 'amount')],
  ['safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)', tokens('to')],
  // ERC-777, ERC-1363 and EIP-3009.
  ['send(address to, uint256 amount, bytes data)', tokens('to', 'amount')],
  ['authorizeOperator(address operator)', { gives: 'allTokens', to: 'operator' }],
  ['transferAndCall(address to, uint256 amount)', tokens('to', 'amount')],
  ['transferAndCall(address to, uint256 amount, bytes data)', tokens('to', 'amount')],
  ['approveAndCall(address spender, uint256 amount)', { gives: 'spending', to: 'spender', amount: 'amount' }],
  [
    'approveAndCall(address spender, uint256 amount, bytes data)',
    { gives: 'spending', to: 'spender', amount: 'amount' },
  ],
  [
    'transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    tokens('to', 'value'),
  ],
  [
    'receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    tokens('to', 'value'),
  ],
  ['mint(address to, uint256 amount)', { gives: 'newTokens', to: 'to', amount: 'amount' }],
  ['burn(uint256 amount)'],
  ['burnFrom(address account, uint256 amount)'],
]

const gifts = new Map(declared.map(([declaration, gift]) => [declaration, gift]))
const holders = new Map(callHolders)

/** The functions that are known here without an interface, by selector. */
export const knownFunctions: ReadonlyMap<string, KnownFunction> = new Map([
  ...[...tokenFunctions].map(([selector, one]): [string, KnownFunction] => [
    selector,
    { name: one.name, parameters: parametersOf(one) },
  ]),
  ...[...declared, ...callHolders].map(([declaration]): [string, KnownFunction] => {
    const signature = signatureOf(declaration)
    const selector = bytesToHex(keccak256(utf8ToBytes(hashedText(signature))).subarray(0, 4))
    return [selector, { ...signature, gift: gifts.get(declaration), calls: holders.get(declaration) }]
  }),
])

/** The known function that this data calls, in hex without `0x`. Its arguments may be unreadable. */
export function knownFunctionIn(data: string): KnownFunction | undefined {
  return knownFunctions.get(data.slice(0, 8))
}

/** A function as an interface declares it. Without `parameters`, its arguments could not be read. */
export type Declared = { readonly functionName: string; readonly parameters: readonly AbiParameter[] | undefined }

/** Whether an interface gives a known function another name or other types, or an argument the name of another role. */
export function isNamedOtherwise(known: KnownFunction, { functionName, parameters }: Declared): boolean {
  if (functionName !== known.name) return true
  if (parameters === undefined) return false
  return typesText(parameters) !== typesText(known.parameters) || namesOtherRoles(known, parameters)
}

const tokenNames: ReadonlySet<string> = new Set([...tokenFunctions.values()].map(({ name }) => plainName(name)))

/** Whether a function with a selector of its own has the name of a known one of tokens. Other names are common. */
export function borrowsName(functionName: string): boolean {
  return tokenNames.has(plainName(functionName))
}
