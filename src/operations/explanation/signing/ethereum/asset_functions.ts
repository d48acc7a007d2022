import type { FunctionRow } from './function_effects.ts'

const burnedIn = (of: string) => ({ does: 'destroyTokens', of, amount: 'amount' }) as const

/** Functions that give tokens away, let others spend them, make or destroy them. */
export const assetFunctions: readonly FunctionRow[] = [
  // ERC-20, beside the functions of `token_functions.ts`.
  { declaration: 'decreaseAllowance(address spender, uint256 amount)' },
  // OpenZeppelin's ERC-20 before version 2. USDT of Tron has them.
  {
    declaration: 'increaseApproval(address spender, uint256 amount)',
    effect: { does: 'letSpend', to: 'spender', amount: 'amount' },
  },
  { declaration: 'decreaseApproval(address spender, uint256 amount)' },
  // The debt tokens of Aave: who may borrow in the name of the caller.
  {
    declaration: 'approveDelegation(address spender, uint256 amount)',
    effect: { does: 'letSpend', to: 'spender', amount: 'amount' },
  },
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
  // ERC-6909.
  {
    declaration: 'transfer(address to, uint256 id, uint256 amount)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount', id: 'id' },
  },
  {
    declaration: 'transferFrom(address from, address to, uint256 id, uint256 amount)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount', id: 'id' },
  },
  {
    declaration: 'approve(address spender, uint256 id, uint256 amount)',
    effect: { does: 'letSpend', to: 'spender', amount: 'amount', id: 'id' },
  },
  {
    declaration: 'setOperator(address operator, bool approved)',
    effect: { does: 'letMoveAll', to: 'operator', allowed: 'approved' },
  },
  // ERC-4626: vaults.
  {
    declaration: 'deposit(uint256 assets, address receiver)',
    effect: { does: 'giveOfVault', to: 'receiver', sharesFor: 'assets' },
  },
  {
    declaration: 'mint(uint256 shares, address receiver)',
    effect: { does: 'giveTokens', to: 'receiver', amount: 'shares' },
  },
  {
    declaration: 'withdraw(uint256 assets, address receiver, address owner)',
    effect: { does: 'giveOfVault', to: 'receiver', assets: 'assets' },
  },
  {
    declaration: 'redeem(uint256 shares, address receiver, address owner)',
    effect: { does: 'giveOfVault', to: 'receiver', assetsFor: 'shares' },
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
    declaration: 'transferFromAndCall(address from, address to, uint256 amount)',
    effect: { does: 'giveTokens', to: 'to', amount: 'amount' },
  },
  {
    declaration: 'transferFromAndCall(address from, address to, uint256 amount, bytes data)',
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
]
