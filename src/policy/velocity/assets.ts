import { sha256 } from '@noble/hashes/sha2.js'
import { base58, createBase58check } from '@scure/base'
import { readAddress } from '../../protocol/chains/ethereum_values.ts'

/** An asset that velocity controls count, by its CAIP-19 name. `token` is undefined for the coin of the chain itself. */
export type Asset = {
  readonly namespace: 'eip155' | 'solana' | 'tron' | 'bip122'
  /** The chain within its namespace (CAIP-2). */
  readonly reference: string
  /** The contract or mint as transactions name it: for Ethereum in lower case. */
  readonly token: string | undefined
}

/** The names that an asset may have, for messages. */
export const assetExpected =
  'a CAIP-19 name such as eip155:1/slip44:60, eip155:1/erc20:0x…, solana:…/slip44:501, solana:…/token:…, tron:…/slip44:195, tron:…/trc20:T… or bip122:…/slip44:0'

const base58Digit = '[1-9A-HJ-NP-Za-km-z]'
const forms = [
  /^(eip155):([1-9][0-9]{0,31})\/slip44:[0-9]{1,10}$/,
  /^(eip155):([1-9][0-9]{0,31})\/erc20:(0x[0-9a-fA-F]{40})$/,
  new RegExp(`^(solana):(${base58Digit}{32})/slip44:501$`),
  new RegExp(`^(solana):(${base58Digit}{32})/token:(${base58Digit}{32,44})$`),
  /^(tron):([-_a-zA-Z0-9]{1,32})\/slip44:195$/,
  new RegExp(`^(tron):([-_a-zA-Z0-9]{1,32})/trc20:(T${base58Digit}{33})$`),
  /^(bip122):([0-9a-f]{32})\/slip44:[01]$/,
]

/** Reads a CAIP-19 name. Undefined if it is not the name of an asset whose transfers this server can read. */
export function parseAsset(caip19: string): Asset | undefined {
  for (const form of forms) {
    const [, namespace, reference = '', token] = form.exec(caip19) ?? []
    if (namespace === 'eip155') return { namespace, reference, token: token?.toLowerCase() }
    if (namespace === 'solana' || namespace === 'tron' || namespace === 'bip122') return { namespace, reference, token }
  }
  return undefined
}

/** The names that a token may have, for messages. */
export const tokenExpected =
  'the name of a token whose address is right: in mixed case with its EIP-55 checksum (eip155), 32 bytes in base58 (solana), or with its checksum (tron)'

const base58Check = createBase58check(sha256)

const decimalsOfCoin = { solana: 9, tron: 6, bip122: 8 } as const

/**
 * The decimals of a coin: every chain of Solana, Tron and Bitcoin has one, and each chain of the EVM counts its coin in
 * units of 10^-18. Undefined for tokens.
 */
export function coinDecimals(caip19: string): number | undefined {
  const asset = parseAsset(caip19)
  if (asset === undefined || asset.token !== undefined) return undefined
  return asset.namespace === 'eip155' ? 18 : decimalsOfCoin[asset.namespace]
}

/** The names of the coins, for messages. */
export const coinExpected =
  'the name of a token that there is: the coin of a chain is eip155:…/slip44:60, solana:…/slip44:501 or tron:…/slip44:195'

/** Addresses of no token, by which exchanges and aggregators name the coin. */
const coinAddresses: readonly string[] = [
  `0x${'0'.repeat(40)}`,
  `0x${'e'.repeat(40)}`,
  '11111111111111111111111111111111',
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
]

/** Whether a name of a token is that of no token, but of the coin. A control with it would count nothing. */
export function standsForCoin(caip19: string): boolean {
  return coinAddresses.includes(parseAsset(caip19)?.token ?? '')
}

/** Whether a name of a token has an address that no token has. A control with a mistyped name would count nothing. */
export function isMistypedToken(caip19: string): boolean {
  const { namespace, token } = parseAsset(caip19) ?? {}
  if (token === undefined) return false
  if (namespace === 'eip155') return readAddress(caip19.slice(-token.length)) === undefined
  try {
    return namespace === 'solana' ? base58.decode(token).length !== 32 : base58Check.decode(token)[0] !== 0x41
  } catch {
    return true
  }
}
