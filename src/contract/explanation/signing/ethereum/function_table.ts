import { assetFunctions } from './asset_functions.ts'
import { byMode } from './execution_modes.ts'
import { control, type FunctionRow, otherControl } from './function_effects.ts'
import { lists, ofItself, ofProxy, packed, single, singleOrNew, tuples } from './held_calls.ts'

const userOperation = {
  unpacked:
    '(address to, uint256 nonce, bytes initCode, bytes data, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)',
  packed:
    '(address to, uint256 nonce, bytes initCode, bytes data, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)',
}

/**
 * Functions that decide much and that many contracts have alike. A selector has four bytes, so an ABI can give each of
 * them a harmless name: to find one costs 2^32 hashes. A function in this table keeps its name, whatever an ABI says. So
 * do the functions of `token_functions.ts`.
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
  {
    declaration: 'addOwnerWithThreshold(address owner, uint256 threshold)',
    effect: { ...control('owner'), needs: 'threshold' },
  },
  {
    declaration: 'removeOwner(address previousOwner, address owner, uint256 threshold)',
    effect: { ...otherControl, needs: 'threshold', loses: 'owner' },
  },
  {
    declaration: 'swapOwner(address previousOwner, address oldOwner, address newOwner)',
    effect: { ...control('newOwner'), loses: 'oldOwner' },
  },
  { declaration: 'changeThreshold(uint256 threshold)', effect: { ...otherControl, needs: 'threshold' } },
  { declaration: 'enableModule(address module)', effect: control('module') },
  { declaration: 'disableModule(address previousModule, address module)', effect: otherControl },
  { declaration: 'setGuard(address guard)', effect: { ...control('guard'), endsByZero: true } },
  { declaration: 'setModuleGuard(address guard)', effect: { ...control('guard'), endsByZero: true } },
  { declaration: 'setFallbackHandler(address handler)', effect: { ...control('handler'), endsByZero: true } },
  { declaration: 'approveHash(bytes32 hash)', effect: { does: 'consent' } },
  { declaration: 'installModule(uint256 moduleType, address module, bytes data)', effect: control('module') },
  { declaration: 'uninstallModule(uint256 moduleType, address module, bytes data)', effect: otherControl },
  // The MultiSigWallet of ConsenSys and Gnosis, before Safe.
  { declaration: 'addOwner(address owner)', effect: control('owner') },
  { declaration: 'removeOwner(address owner)', effect: { ...otherControl, loses: 'owner' } },
  { declaration: 'replaceOwner(address owner, address newOwner)', effect: { ...control('newOwner'), loses: 'owner' } },
  { declaration: 'changeRequirement(uint256 required)', effect: { ...otherControl, needs: 'required' } },
  { declaration: 'submitTransaction(address to, uint256 value, bytes data)', calls: single },
  { declaration: 'confirmTransaction(uint256 transactionId)', effect: { does: 'consentTo', id: 'transactionId' } },
  { declaration: 'executeTransaction(uint256 transactionId)', effect: { does: 'consentTo', id: 'transactionId' } },
  { declaration: 'revokeConfirmation(uint256 transactionId)' },
  ...assetFunctions,
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
    effect: { does: 'payFees', to: 'beneficiary', list: 'operations' },
    calls: tuples('operations'),
  },
  {
    declaration: `handleOps(${userOperation.packed}[] operations, address beneficiary)`,
    effect: { does: 'payFees', to: 'beneficiary', list: 'operations' },
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
