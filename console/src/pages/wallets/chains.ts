/** The chains that the console offers for new accounts and keys, each with the path at which its wallets look. */
const chains = {
  ethereum: { curve: 'CURVE_SECP256K1', addressFormat: 'ADDRESS_FORMAT_ETHEREUM', path: "m/44'/60'/0'/0/N" },
  bitcoin: { curve: 'CURVE_SECP256K1', addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', path: "m/86'/0'/0'/0/N" },
  bitcoinSegwit: {
    curve: 'CURVE_SECP256K1',
    addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH',
    path: "m/84'/0'/0'/0/N",
  },
  solana: { curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA', path: "m/44'/501'/N'/0'" },
  tron: { curve: 'CURVE_SECP256K1', addressFormat: 'ADDRESS_FORMAT_TRON', path: "m/44'/195'/0'/0/N" },
} as const

export type Chain = keyof typeof chains
export const chainNames: readonly Chain[] = ['ethereum', 'bitcoin', 'bitcoinSegwit', 'solana', 'tron']

/** The first path of the chain at which there is no account yet. */
export function freePath(chain: Chain, takenPaths: readonly string[]): string {
  for (let index = 0; ; index += 1) {
    const path = chains[chain].path.replace('N', String(index))
    if (!takenPaths.includes(path)) return path
  }
}

/** An account as `create_wallet` and `create_wallet_accounts` take it. */
export function accountOf(chain: Chain, path: string) {
  const { curve, addressFormat } = chains[chain]
  return { curve, addressFormat, path, pathFormat: 'PATH_FORMAT_BIP32' } as const
}

/** A key as `create_private_keys` takes it. */
export function keyOf(chain: Chain) {
  const { curve, addressFormat } = chains[chain]
  return { curve, addressFormats: [addressFormat] } as const
}

/** `ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR` as `Bitcoin mainnet P2TR`. */
export function formatName(format: string): string {
  const words = format.replace('ADDRESS_FORMAT_', '').split('_')
  const shown = words.map((word) => (/\d/.test(word) ? word : word.toLowerCase())).join(' ')
  return shown.charAt(0).toUpperCase() + shown.slice(1)
}

/** `CURVE_SECP256K1` as `secp256k1`. */
export function curveName(curve: string): string {
  return curve.replace('CURVE_', '').toLowerCase()
}
