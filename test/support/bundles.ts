import { randomBytes } from 'node:crypto'
import {
  decryptExportBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  generateP256KeyPair,
} from '@turnkey/crypto'

/** Exports and imports of keys by the client's own package, given the server's signing key. */

type Signer = { readonly organizationId: string; readonly signer: string }

/** A key pair of the client for one export. */
export function newTarget() {
  const { privateKey, publicKeyUncompressed } = generateP256KeyPair()
  return { targetPublicKey: publicKeyUncompressed, embeddedKey: privateKey }
}

/** Returns the key as hex, or as Solana's wallets take it: both halves of the pair in base58. */
export function openExport(
  exportBundle: string,
  {
    organizationId,
    signer,
    embeddedKey,
    as = 'key',
  }: Signer & { readonly embeddedKey: string; readonly as?: 'key' | 'mnemonic' | 'solana key' },
): Promise<string> {
  return decryptExportBundle({
    exportBundle,
    embeddedKey,
    organizationId,
    dangerouslyOverrideSignerPublicKey: signer,
    returnMnemonic: as === 'mnemonic',
    ...(as === 'solana key' ? { keyFormat: 'SOLANA' } : {}),
  })
}

type Import = Signer & { readonly importBundle: string; readonly userId: string }

export function encryptKey(privateKey: string, { signer, ...place }: Import): Promise<string> {
  return encryptPrivateKeyToBundle({
    ...place,
    privateKey,
    keyFormat: 'HEXADECIMAL',
    dangerouslyOverrideSignerPublicKey: signer,
  })
}

export function encryptMnemonic(mnemonic: string, { signer, ...place }: Import): Promise<string> {
  return encryptWalletToBundle({ ...place, mnemonic, dangerouslyOverrideSignerPublicKey: signer })
}

export const newPrivateKeyHex = () => randomBytes(32).toString('hex')
export const knownMnemonic = 'test test test test test test test test test test test junk'
