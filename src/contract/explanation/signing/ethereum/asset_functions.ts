import type { FunctionRow } from './function_effects.ts'

const burnedIn = (of: string) => ({ does: 'destroyTokens', of, amount: 'amount' }) as const

type Tokens = { readonly list?: string; readonly amount?: string; readonly id?: string; readonly token?: string }

/** Gives tokens to whom a parameter names. Without `tokens`, as many as the parameter `amount` says. */
function gives(declaration: string, to: string, tokens: Tokens = { amount: 'amount' }): FunctionRow {
  return { declaration, effect: { does: 'giveTokens', to, ...tokens } }
}

/** Lets somebody spend tokens. `allowed`: a flag that has to be set. */
function lets(
  declaration: string,
  to: string,
  tokens: Tokens & { readonly allowed?: string } = { amount: 'amount' },
): FunctionRow {
  return { declaration, effect: { does: 'letSpend', to, ...tokens } }
}

/** A loan of a token in the name of somebody, or its repayment. */
function debt(does: 'makeDebt' | 'payDebt', declaration: string): FunctionRow {
  return { declaration, effect: { does, to: 'onBehalfOf', amount: 'amount', token: 'asset' } }
}

const ofAsset = { amount: 'amount', token: 'asset' }

/** Functions that give tokens away, let others spend them, make or destroy them. */
export const assetFunctions: readonly FunctionRow[] = [
  // ERC-20, beside the functions of `token_functions.ts`.
  { declaration: 'decreaseAllowance(address spender, uint256 amount)' },
  // OpenZeppelin's ERC-20 before version 2. USDT of Tron has them.
  lets('increaseApproval(address spender, uint256 amount)', 'spender'),
  { declaration: 'decreaseApproval(address spender, uint256 amount)' },
  // The debt tokens of Aave: who may borrow in the name of the caller.
  lets('approveDelegation(address spender, uint256 amount)', 'spender'),
  lets(
    'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    'spender',
    { amount: 'value' },
  ),
  lets(
    'permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
    'spender',
    { allowed: 'allowed' },
  ),
  // Permit2.
  lets('approve(address token, address spender, uint160 amount, uint48 expiration)', 'spender', {
    amount: 'amount',
    token: 'token',
  }),
  gives('transferFrom(address from, address to, uint160 amount, address token)', 'to', {
    amount: 'amount',
    token: 'token',
  }),
  // Single tokens, and tokens with several kinds.
  gives('safeTransferFrom(address from, address to, uint256 tokenId)', 'to', { id: 'tokenId' }),
  gives('safeTransferFrom(address from, address to, uint256 tokenId, bytes data)', 'to', { id: 'tokenId' }),
  gives('safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)', 'to', {
    amount: 'amount',
    id: 'id',
  }),
  gives('safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)', 'to', {
    list: 'ids',
  }),
  // ERC-6909.
  gives('transfer(address to, uint256 id, uint256 amount)', 'to', { amount: 'amount', id: 'id' }),
  gives('transferFrom(address from, address to, uint256 id, uint256 amount)', 'to', { amount: 'amount', id: 'id' }),
  lets('approve(address spender, uint256 id, uint256 amount)', 'spender', { amount: 'amount', id: 'id' }),
  {
    declaration: 'setOperator(address operator, bool approved)',
    effect: { does: 'letMoveAll', to: 'operator', allowed: 'approved' },
  },
  // ERC-4626: vaults.
  {
    declaration: 'deposit(uint256 assets, address receiver)',
    effect: { does: 'giveOfVault', to: 'receiver', sharesFor: 'assets' },
  },
  gives('mint(uint256 shares, address receiver)', 'receiver', { amount: 'shares' }),
  {
    declaration: 'withdraw(uint256 assets, address receiver, address owner)',
    effect: { does: 'giveOfVault', to: 'receiver', assets: 'assets' },
  },
  {
    declaration: 'redeem(uint256 shares, address receiver, address owner)',
    effect: { does: 'giveOfVault', to: 'receiver', assetsFor: 'shares' },
  },
  // Aave: its pools of version 2 and 3. The greatest amount stands for all that there is.
  gives('deposit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)', 'onBehalfOf', ofAsset),
  gives('supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)', 'onBehalfOf', ofAsset),
  gives(
    'supplyWithPermit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    'onBehalfOf',
    ofAsset,
  ),
  gives('withdraw(address asset, uint256 amount, address to)', 'to', ofAsset),
  debt(
    'makeDebt',
    'borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)',
  ),
  debt('payDebt', 'repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)'),
  debt(
    'payDebt',
    'repayWithPermit(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  ),
  // ERC-777, ERC-1363 and EIP-3009.
  gives('send(address to, uint256 amount, bytes data)', 'to'),
  { declaration: 'authorizeOperator(address operator)', effect: { does: 'letMoveAll', to: 'operator' } },
  gives('transferAndCall(address to, uint256 amount)', 'to'),
  gives('transferAndCall(address to, uint256 amount, bytes data)', 'to'),
  gives('transferFromAndCall(address from, address to, uint256 amount)', 'to'),
  gives('transferFromAndCall(address from, address to, uint256 amount, bytes data)', 'to'),
  lets('approveAndCall(address spender, uint256 amount)', 'spender'),
  lets('approveAndCall(address spender, uint256 amount, bytes data)', 'spender'),
  gives(
    'transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    'to',
    { amount: 'value' },
  ),
  gives(
    'receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
    'to',
    { amount: 'value' },
  ),
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
