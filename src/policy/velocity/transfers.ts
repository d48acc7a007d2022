import { isStruct, type Struct, structsIn, type Value, valueAt } from '../language/expression_values.ts'
import { addressTableLookup } from '../language/names/payload_types.ts'
import { callsOfStruct, flatCalls, signersForHook } from '../transactions/solana/solana_calls.ts'
import type { Asset } from './assets.ts'

/** An amount of an asset, in its smallest unit, that a transaction moves. */
export type Transfer<A> = { readonly asset: A; readonly amount: bigint }

/** The signed content. `ownScripts`: the scripts of Bitcoin outputs that pay to the signing key, in lower-case hex. */
export type Signed = { readonly facts: () => Struct; readonly ownScripts: () => ReadonlySet<unknown> }

/**
 * Returns the transfers of these assets that the signed content makes. Undefined if the content cannot be read so far:
 * it may then move any amount. Fees of Ethereum, Solana and Tron are no transfers, nor are the deposits of new token
 * accounts.
 *
 * Transactions of Solana, Tron and Bitcoin do not say on which network they are valid. Their transfers are those of
 * each named network.
 */
export function transfersOf<A extends Asset>(signed: Signed, assets: readonly A[]): readonly Transfer<A>[] | undefined {
  const facts = signed.facts()
  for (const [keyword, { namespace, read }] of Object.entries(chains)) {
    const tx = valueAt(facts, [keyword, 'tx'])
    if (tx === undefined || !isStruct(tx)) continue
    const named = assets.filter((asset) => asset.namespace === namespace)
    return named.length === 0 ? [] : read(tx, named, signed)?.filter(({ amount }) => amount > 0n)
  }
  return undefined
}

type Read = <A extends Asset>(tx: Struct, assets: readonly A[], signed: Signed) => readonly Transfer<A>[] | undefined

const ofEthereum: Read = (tx, assets) => {
  // An authorization of EIP-7702 lets a contract move everything.
  if (tx.type === 'TYPE_4') return undefined
  // Without its chain, a transaction is valid on each.
  const here = assets.filter(({ reference }) => tx.chain_id === undefined || String(tx.chain_id) === reference)
  const data = String(tx.data).slice(2)
  // An earlier authorization may have given code to the account itself, which moves everything when it is called.
  if (tx.to === tx.from && data !== '' && here.length > 0) return undefined
  return ofCall({ to: tx.to, value: tx.value, data }, here)
}

const ofTron: Read = (tx, assets) => {
  const [contract] = structsIn(tx.contract)
  const { type, amount, contract_address: to, call_value: value, data } = contract ?? {}
  if (type === 'TransferContract') return coins(assets, amount)
  return type === 'TriggerSmartContract' ? ofCall({ to, value, data: String(data ?? '') }, assets) : undefined
}

/** The selectors of the functions of ERC-20 and TRC-20 that move an amount, and the index of the amount. */
const movingFunctions = new Map([
  /** `transfer(address,uint256)` */
  ['a9059cbb', 1],
  /** `transferFrom(address,address,uint256)` */
  ['23b872dd', 2],
])

type Call = { readonly to: Value | undefined; readonly value: Value | undefined; readonly data: string }

/** `data` is hex. A call of a named token has a readable amount if it is a transfer. `approve`, for example, has not. */
function ofCall<A extends Asset>({ to, value = 0n, data }: Call, assets: readonly A[]) {
  const moved = coins(assets, value)
  const tokens = assets.filter(({ token }) => token !== undefined && token === to)
  if (moved === undefined || tokens.length === 0 || data === '') return moved
  const index = movingFunctions.get(data.slice(0, 8))
  if (index === undefined) return undefined
  const start = 8 + 64 * index
  const word = data.slice(start, start + 64)
  if (word.length < 64) return undefined
  return [...moved, ...tokens.map((asset) => ({ asset, amount: BigInt(`0x${word}`) }))]
}

const ofSolana: Read = (tx, assets) => {
  const transfers = structsIn(tx.transfers)
  const tokenTransfers = structsIn(tx.spl_transfers)
  const calls = flatCalls(callsOfStruct(tx))
  const harmless = calls.filter(({ read }) => read?.form.isHarmless === true)
  // Any other instruction to which the key gives its signature may move what belongs to the key.
  const isReadable =
    harmless.length + transfers.length + tokenTransfers.length === calls.length &&
    calls.every((call) => signersForHook(call).length === 0) &&
    tokenTransfers.every(({ token_mint: mint }) => mint !== undefined && mint !== addressTableLookup)
  if (!isReadable) return undefined
  return [
    ...transfers.flatMap(({ amount }) => coins(assets, amount) ?? []),
    ...tokenTransfers.flatMap(({ token_mint: mint, amount }) =>
      typeof amount === 'bigint'
        ? assets.filter(({ token }) => token === mint).map((asset) => ({ asset, amount }))
        : [],
    ),
  ]
}

/** A transaction is one transfer: all that leaves the key, with the fee. Inputs of others may make it less. */
const ofBitcoin: Read = (tx, assets, { ownScripts }) => {
  if (typeof tx.fee !== 'bigint') return undefined
  const own = ownScripts()
  const others = structsIn(tx.outputs).filter(({ script_pubkey: script }) => !own.has(script))
  return coins(
    assets,
    others.reduce((sum, { value }) => sum + (typeof value === 'bigint' ? value : 0n), tx.fee),
  )
}

const chains: Readonly<Record<string, { readonly namespace: Asset['namespace']; readonly read: Read }>> = {
  eth: { namespace: 'eip155', read: ofEthereum },
  solana: { namespace: 'solana', read: ofSolana },
  tron: { namespace: 'tron', read: ofTron },
  bitcoin: { namespace: 'bip122', read: ofBitcoin },
}

/** The amount of the chain's own coin. Undefined if there is no amount. */
function coins<A extends Asset>(assets: readonly A[], amount: Value | undefined): readonly Transfer<A>[] | undefined {
  if (typeof amount !== 'bigint') return undefined
  return assets.filter(({ token }) => token === undefined).map((asset) => ({ asset, amount }))
}
