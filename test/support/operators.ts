import { createHash } from 'node:crypto'
import { SecretShare } from '@buildonspark/spark-sdk/proto/spark'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { decrypt } from 'eciesjs'
import type { IndexedShare } from './shares.ts'

/** The account with the identity key, whose address names a wallet to Spark. */
export function sparkAccount() {
  return {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/8797555'/0'/0'",
    addressFormat: 'ADDRESS_FORMAT_SPARK_MAINNET',
  } as const
}

/** An operator of Spark, with its own secrets. */
export type Operator = {
  readonly operatorId: string
  readonly encryptionPublicKey: string
  readonly identityKey: Uint8Array
}

/** Ids as Spark's operators have them: their numbers in 64 hex digits. */
export function newOperators(count: number): readonly Operator[] {
  return Array.from({ length: count }, (_, position) => {
    const identityKey = secp256k1.utils.randomSecretKey()
    return {
      operatorId: (position + 1).toString(16).padStart(64, '0'),
      encryptionPublicKey: bytesToHex(secp256k1.getPublicKey(identityKey)),
      identityKey,
    }
  })
}

/** The operators as a request names them. */
export function recipientsOf(operators: readonly Operator[]) {
  return operators.map(({ operatorId, encryptionPublicKey }) => ({ operatorId, encryptionPublicKey }))
}

/** Opens a package as an operator does: ECIES with its identity key, then the message of Spark's own protocol files. */
export function openedBy({ identityKey }: Operator, encryptedPackage: string) {
  const { secretShare, proofs } = SecretShare.decode(decrypt(identityKey, hexToBytes(encryptedPackage)))
  return { share: bytesToNumberBE(Uint8Array.from(secretShare)), shareBytes: secretShare.length, proofs }
}

type Opened = IndexedShare & ReturnType<typeof openedBy>

/** Opens the packages of all operators. Each operator's id is the number with which it interpolates. */
export function openedByAll(
  operators: readonly Operator[],
  packages: readonly { readonly operatorId: string; readonly encryptedPackage: string }[],
): readonly Opened[] {
  return operators.map((operator) => {
    const own = packages.find(({ operatorId }) => operatorId === operator.operatorId)
    return { index: Number.parseInt(operator.operatorId, 16), ...openedBy(operator, own?.encryptedPackage ?? '') }
  })
}

export function paymentHashOf(preimage: bigint): string {
  return createHash('sha256').update(secp256k1.Point.Fn.toBytes(preimage)).digest('hex')
}
