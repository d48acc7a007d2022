import { byMode } from './execution_modes.ts'
import { control, type Effect, otherControl } from './function_effects.ts'
import { type HeldCalls, lists, ofItself, ofProxy, packed, single, singleOrNew, tuples } from './held_calls.ts'

/** A function by its declaration in the standard: what a call of it does, and how the calls in it are found. */
type FunctionRow = {
  readonly declaration: string
  readonly effect?: Effect
  readonly calls?: HeldCalls
  /** Whether another account than the called contract makes the calls, or they spend what others leave there. */
  readonly callsBy?: 'others'
}

const userOperation = {
  unpacked:
    '(address to, uint256 nonce, bytes initCode, bytes data, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)',
  packed:
    '(address to, uint256 nonce, bytes initCode, bytes data, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)',
}

const burnedIn = (of: string) => ({ does: 'destroyTokens', of, amount: 'amount' }) as const

/**
 * Functions that decide much and that many contracts have alike. A selector has four bytes, so an ABI can give each of
 * them a harmless name: to find one costs 2^32 hashes. What stands here keeps its name, whatever an ABI says. The
 * functions of `token_functions.ts` do so too.
 */
export const functionTable: readonly FunctionRow[] = [
  // Owners and admins: OpenZeppelin, DSAuth, Solmate, Compound, Synthetix, proxies.
  { declaration: 'transferOwnership(address newOwner)', effect: control('newOwner') },
  { declaration: 'safeTransferOwnership(address newOwner)', effect: control('newOwner') },
  { declaration: 'renounceOwnership()', effect: control() },
  { declaration: 'acceptOwnership()' },
  { declaration: 'claimOwnership()' },
  { declaration: 'setOwner(address owner)', effect: control('owner') },
  { declaration: 'changeOwner(address owner)', effect: control('owner') },
  { declaration: 'setPendingOwner(address owner)', effect: control('owner') },
  { declaration: 'nominateNewOwner(address owner)', effect: control('owner') },
  { declaration: 'setAuthority(address authority)', effect: control('authority') },
  { declaration: 'setAdmin(address admin)', effect: control('admin') },
  { declaration: 'changeAdmin(address newAdmin)', effect: control('newAdmin') },
  { declaration: 'setPendingAdmin(address admin)', effect: control('admin') },
  { declaration: 'acceptAdmin()' },
  { declaration: 'setGovernance(address governance)', effect: control('governance') },
  { declaration: 'setGovernor(address governor)', effect: control('governor') },
  { declaration: 'setController(address controller)', effect: control('controller') },
  { declaration: 'setOperator(address operator)', effect: control('operator') },
  { declaration: 'setMinter(address minter)', effect: control('minter') },
  { declaration: 'addMinter(address minter)', effect: control('minter') },
  { declaration: 'transferProxyOwnership(address newOwner)', effect: control('newOwner') },
  // Roles: AccessControl and AccessManager.
  { declaration: 'grantRole(bytes32 role, address account)', effect: control('account') },
  { declaration: 'revokeRole(bytes32 role, address account)', effect: otherControl },
  { declaration: 'renounceRole(bytes32 role, address account)', effect: otherControl },
  { declaration: 'beginDefaultAdminTransfer(address newAdmin)', effect: control('newAdmin') },
  { declaration: 'acceptDefaultAdminTransfer()' },
  { declaration: 'grantRole(uint64 role, address account, uint32 delay)', effect: control('account') },
  { declaration: 'revokeRole(uint64 role, address account)', effect: otherControl },
  { declaration: 'setTargetFunctionRole(address target, bytes4[] selectors, uint64 role)', effect: otherControl },
  { declaration: 'updateAuthority(address target, address newAuthority)', effect: control('newAuthority', 'target') },
  // Upgrades: who writes the code controls the contract.
  { declaration: 'upgradeTo(address newImplementation)', effect: control('newImplementation') },
  {
    declaration: 'upgradeToAndCall(address newImplementation, bytes data)',
    effect: control('newImplementation'),
    calls: ofItself,
  },
  { declaration: 'setImplementation(address implementation)', effect: control('implementation') },
  { declaration: 'upgrade(address proxy, address implementation)', effect: control('implementation', 'proxy') },
  {
    declaration: 'upgradeAndCall(address proxy, address implementation, bytes data)',
    effect: control('implementation', 'proxy'),
    calls: ofProxy,
  },
  { declaration: 'changeProxyAdmin(address proxy, address newAdmin)', effect: control('newAdmin', 'proxy') },
  {
    declaration:
      'diamondCut((address facet, uint8 action, bytes4[] selectors)[] cut, address initialization, bytes data)',
    effect: otherControl,
  },
  // Safe: owners, modules and guards.
  { declaration: 'addOwnerWithThreshold(address owner, uint256 threshold)', effect: control('owner') },
  { declaration: 'removeOwner(address previousOwner, address owner, uint256 threshold)', effect: otherControl },
  { declaration: 'swapOwner(address previousOwner, address oldOwner, address newOwner)', effect: control('newOwner') },
  { declaration: 'changeThreshold(uint256 threshold)', effect: otherControl },
  { declaration: 'enableModule(address module)', effect: control('module') },
  { declaration: 'disableModule(address previousModule, address module)', effect: otherControl },
  { declaration: 'setGuard(address guard)', effect: { ...control('guard'), endsByZero: true } },
  { declaration: 'setModuleGuard(address guard)', effect: { ...control('guard'), endsByZero: true } },
  { declaration: 'setFallbackHandler(address handler)', effect: { ...control('handler'), endsByZero: true } },
  { declaration: 'approveHash(bytes32 hash)', effect: { does: 'consent' } },
  { declaration: 'installModule(uint256 moduleType, address module, bytes data)', effect: control('module') },
  { declaration: 'uninstallModule(uint256 moduleType, address module, bytes data)', effect: otherControl },
  // Tokens, beside the functions of `token_functions.ts`.
  { declaration: 'decreaseAllowance(address spender, uint256 amount)' },
  {
    declaration:
      'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    effect: { does: 'letSpend', to: 'spender', amount: 'value' },
  },
  {
    declaration:
      'permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
    effect: { does: 'letSpend', to: 'spender', allowed: 'allowed' },
  },
  // Permit2.
  {
    declaration: 'approve(address token, address spender, uint160 amount, uint48 expiration)',
    effect: { does: 'letSpend', to: 'spender', amount: 'amount', token: 'token' },
  },
  {
    declaration: 'transferFrom(address from, address to, uint160 amount, address token)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount', token: 'token' },
  },
  // Single tokens, and tokens with several kinds.
  {
    declaration: 'safeTransferFrom(address from, address to, uint256 tokenId)',
    effect: { does: 'giveTokens', to: 'to', id: 'tokenId' },
  },
  {
    declaration: 'safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
    effect: { does: 'giveTokens', to: 'to', id: 'tokenId' },
  },
  {
    declaration: 'safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount', id: 'id' },
  },
  {
    declaration: 'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)',
    effect: { does: 'giveTokens', to: 'to' },
  },
  // ERC-777, ERC-1363 and EIP-3009.
  {
    declaration: 'send(address to, uint256 amount, bytes data)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount' },
  },
  { declaration: 'authorizeOperator(address operator)', effect: { does: 'letMoveAll', to: 'operator' } },
  {
    declaration: 'transferAndCall(address to, uint256 amount)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount' },
  },
  {
    declaration: 'transferAndCall(address to, uint256 amount, bytes data)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount' },
  },
  {
    declaration: 'approveAndCall(address spender, uint256 amount)',
    effect: { does: 'letSpend', to: 'spender', amount: 'amount' },
  },
  {
    declaration: 'approveAndCall(address spender, uint256 amount, bytes data)',
    effect: { does: 'letSpend', to: 'spender', amount: 'amount' },
  },
  {
    declaration:
      'transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    effect: { does: 'giveTokens', to: 'to', amount: 'value' },
  },
  {
    declaration:
      'receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    effect: { does: 'giveTokens', to: 'to', amount: 'value' },
  },
  { declaration: 'mint(address to, uint256 amount)', effect: { does: 'makeTokens', to: 'to', amount: 'amount' } },
  { declaration: 'burn(uint256 amount)', effect: { does: 'destroyTokens', amount: 'amount', isTokenId: true } },
  { declaration: 'burn(uint256 amount, bytes data)', effect: { does: 'destroyTokens', amount: 'amount' } },
  { declaration: 'burn(address account, uint256 amount)', effect: burnedIn('account') },
  { declaration: 'burnFrom(address account, uint256 amount)', effect: burnedIn('account') },
  { declaration: 'burn(address account, uint256 id, uint256 amount)', effect: { ...burnedIn('account'), id: 'id' } },
  {
    declaration: 'burnBatch(address account, uint256[] ids, uint256[] amounts)',
    effect: { does: 'destroyTokens', of: 'account' },
  },
  // Safe: its own transaction, those of its modules, and the contract for several.
  {
    declaration:
      'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
    calls: single,
  },
  { declaration: 'execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)', calls: single },
  {
    declaration: 'execTransactionFromModuleReturnData(address to, uint256 value, bytes data, uint8 operation)',
    calls: single,
  },
  { declaration: 'multiSend(bytes transactions)', calls: packed },
  // Accounts of ERC-4337, ERC-6551 and ERC-7579, and the entry point, which calls the accounts.
  { declaration: 'execute(address to, uint256 value, bytes data)', calls: single },
  { declaration: 'execute(address to, uint256 value, bytes data, uint8 operation)', calls: singleOrNew },
  { declaration: 'executeUserOp(address to, uint256 value, bytes data, uint8 operation)', calls: single },
  {
    declaration: 'executeUserOpWithErrorString(address to, uint256 value, bytes data, uint8 operation)',
    calls: single,
  },
  { declaration: 'execute(bytes32 mode, bytes data)', calls: byMode },
  { declaration: 'executeFromExecutor(bytes32 mode, bytes data)', calls: byMode },
  { declaration: 'executeBatch(address[] to, bytes[] data)', calls: lists },
  { declaration: 'executeBatch(address[] to, uint256[] value, bytes[] data)', calls: lists },
  { declaration: 'executeBatch((address to, uint256 value, bytes data)[] calls)', calls: tuples('calls') },
  {
    declaration: `handleOps(${userOperation.unpacked}[] operations, address beneficiary)`,
    effect: { does: 'payFees', to: 'beneficiary' },
    calls: tuples('operations'),
  },
  {
    declaration: `handleOps(${userOperation.packed}[] operations, address beneficiary)`,
    effect: { does: 'payFees', to: 'beneficiary' },
    calls: tuples('operations'),
  },
  // A contract that calls itself.
  { declaration: 'multicall(bytes[] data)', calls: ofItself },
  { declaration: 'multicall(uint256 deadline, bytes[] data)', calls: ofItself },
  { declaration: 'multicall(bytes32 previousBlockhash, bytes[] data)', calls: ofItself },
  // Multicall3 and those before it. Anybody can take what is left in them.
  { declaration: 'aggregate((address to, bytes data)[] calls)', calls: tuples('calls'), callsBy: 'others' },
  {
    declaration: 'tryAggregate(bool requireSuccess, (address to, bytes data)[] calls)',
    calls: tuples('calls'),
    callsBy: 'others',
  },
  { declaration: 'blockAndAggregate((address to, bytes data)[] calls)', calls: tuples('calls'), callsBy: 'others' },
  {
    declaration: 'tryBlockAndAggregate(bool requireSuccess, (address to, bytes data)[] calls)',
    calls: tuples('calls'),
    callsBy: 'others',
  },
  {
    declaration: 'aggregate3((address to, bool allowFailure, bytes data)[] calls)',
    calls: tuples('calls'),
    callsBy: 'others',
  },
  {
    declaration: 'aggregate3Value((address to, bool allowFailure, uint256 value, bytes data)[] calls)',
    calls: tuples('calls'),
    callsBy: 'others',
  },
  // Timelocks and governors of OpenZeppelin.
  {
    declaration: 'schedule(address to, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)',
    calls: single,
  },
  {
    declaration:
      'scheduleBatch(address[] to, uint256[] value, bytes[] data, bytes32 predecessor, bytes32 salt, uint256 delay)',
    calls: lists,
  },
  { declaration: 'execute(address to, uint256 value, bytes data, bytes32 predecessor, bytes32 salt)', calls: single },
  {
    declaration: 'executeBatch(address[] to, uint256[] value, bytes[] data, bytes32 predecessor, bytes32 salt)',
    calls: lists,
  },
  // A timelock often makes the calls of a governor, and has the money.
  {
    declaration: 'propose(address[] to, uint256[] value, bytes[] data, string description)',
    calls: lists,
    callsBy: 'others',
  },
  {
    declaration: 'execute(address[] to, uint256[] value, bytes[] data, bytes32 descriptionHash)',
    calls: lists,
    callsBy: 'others',
  },
]
