import { strict as assert } from 'node:assert'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { AddressFormat } from '../../protocol/chains/address_formats.ts'
import { keccak256 } from '../../protocol/crypto/keccak.ts'
import { oneStep, type Steps } from '../../protocol/tools/steps.ts'
import type { Struct } from '../language/expression_values.ts'
import { type ScriptKind, scriptKinds } from './bitcoin/bitcoin_scripts.ts'
import { bitcoinStruct } from './bitcoin/bitcoin_struct.ts'
import { readPsbt } from './bitcoin/psbt.ts'
import { psbtSigning } from './bitcoin/psbt_signing.ts'
import { signatureIn } from './ethereum/ethereum_signature.ts'
import { ethereumStruct } from './ethereum/ethereum_struct.ts'
import { type EthereumSignature, parseEthereumTransaction, serializeSigned } from './ethereum/ethereum_transaction.ts'
import { programsOf, solanaStruct } from './solana/solana_struct.ts'
import {
  parseSolanaTransaction,
  type SolanaTransaction,
  signatureAt,
  signerPlace,
  withSignature,
} from './solana/solana_transaction.ts'
import type {
  DecodedTransaction,
  OpenTransaction,
  TransactionKind,
  TransactionSignature,
  TransactionSigner,
} from './transaction_kind.ts'
import {
  parseTronTransaction,
  serializeSignedTron,
  type TronTransaction,
  tronDigest,
  tronSignatureIn,
} from './tron/tron_transaction.ts'

/** The types of the interface's enum, without `TRANSACTION_TYPE_TEMPO`. */
export const transactionTypes = [
  'TRANSACTION_TYPE_ETHEREUM',
  'TRANSACTION_TYPE_SOLANA',
  'TRANSACTION_TYPE_TRON',
  'TRANSACTION_TYPE_BITCOIN',
] as const

export type TransactionType = (typeof transactionTypes)[number]

/** How transactions of each type are read, shown to rules and signed. */
export const transactionKinds: Readonly<Record<TransactionType, TransactionKind>> = {
  TRANSACTION_TYPE_ETHEREUM: {
    keyword: 'eth',
    signerExpected: 'a key that signs for Ethereum',
    maySign: signsEcdsa,
    open: openEthereum,
  },
  TRANSACTION_TYPE_SOLANA: {
    keyword: 'solana',
    signerExpected: 'a key of Ed25519, with which Solana signs',
    maySign: ({ curve }) => curve === 'CURVE_ED25519',
    open: (bytes, signer) => oneStep(() => openSolana(parseSolanaTransaction(bytes), signer)),
  },
  TRANSACTION_TYPE_TRON: {
    keyword: 'tron',
    signerExpected: 'a key that signs for Tron',
    maySign: signsEcdsa,
    open: (bytes) => oneStep(() => openTron(parseTronTransaction(bytes))),
  },
  TRANSACTION_TYPE_BITCOIN: {
    keyword: 'bitcoin',
    signerExpected: 'a key of secp256k1 that is named by a Bitcoin address, its public key or its id',
    maySign: (signer) => signer.curve === 'CURVE_SECP256K1' && bitcoinKinds(signer).length > 0,
    open: openBitcoin,
  },
}

function signsEcdsa({ curve, scheme }: TransactionSigner): boolean {
  return curve === 'CURVE_SECP256K1' && scheme === 'default'
}

function* openEthereum(bytes: Uint8Array, { publicKey }: TransactionSigner): Steps<OpenTransaction> {
  const transaction = yield* parseEthereumTransaction(bytes)
  const { to } = transaction
  return {
    calls: to === undefined ? [] : [to],
    struct: (interfaces) => ethereumStruct(transaction, { publicKey, abis: interfaces.get(to ?? '') ?? [] }),
    messages: [{ message: keccak256(bytes), scheme: 'default' }],
    serialize: (signatures) => {
      const { r, s, v } = theOnly(signatures)
      return serializeSigned(transaction, { r, s, recoveryId: v === '00' ? 0 : 1 })
    },
    signaturesIn: (signed) => {
      const found = signatureIn(transaction, signed)
      return found && [withV(found)]
    },
  }
}

function* openBitcoin(bytes: Uint8Array, signer: TransactionSigner): Steps<OpenTransaction> {
  const psbt = yield* readPsbt(bytes)
  yield
  const signing = psbtSigning(psbt, { publicKey: signer.publicKey, kinds: bitcoinKinds(signer) })
  const { messages } = signing
  const struct = yield* bitcoinStruct(psbt, { messages })
  return { calls: [], struct: () => withoutCalls(struct), ...signing }
}

/** An address stands only for the outputs that pay to it. A bare key stands for all outputs that it can own. */
export function bitcoinKinds({ addressFormat }: Pick<TransactionSigner, 'addressFormat'>): readonly ScriptKind[] {
  if (addressFormat === undefined || keyFormats.includes(addressFormat)) return scriptKinds
  if (!addressFormat.startsWith('ADDRESS_FORMAT_BITCOIN_')) return []
  return scriptKinds.filter((kind) => addressFormat.endsWith(`_${kind}`))
}

const keyFormats: readonly AddressFormat[] = ['ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_UNCOMPRESSED']

function openSolana(transaction: SolanaTransaction, { publicKey }: TransactionSigner): OpenTransaction {
  const place = signerPlace(transaction, publicKey)
  return {
    calls: programsOf(transaction.message),
    struct: (interfaces) => solanaStruct(transaction.message, interfaces),
    messages: [{ message: transaction.messageBytes, scheme: 'default' }],
    serialize: (signatures) => {
      const { r, s } = theOnly(signatures)
      return withSignature(transaction, { place, signature: hexToBytes(`${r}${s}`) })
    },
    signaturesIn: (signed) => [halvesOf(signatureAt(transaction, { place, signed }))],
  }
}

function withoutCalls(struct: Struct): Steps<DecodedTransaction> {
  return oneStep(() => ({ struct, usedInterfaces: new Map() }))
}

function openTron(transaction: TronTransaction): OpenTransaction {
  return {
    calls: [],
    struct: () => withoutCalls(transaction.struct),
    messages: [{ message: tronDigest(transaction), scheme: 'default' }],
    serialize: (signatures) => {
      const { r, s, v } = theOnly(signatures)
      return serializeSignedTron(transaction, { r, s, recoveryId: v === '00' ? 0 : 1 })
    },
    signaturesIn(signed) {
      const { signature, recoveryId } = tronSignatureIn(signed)
      return [withV({ ...halvesOf(signature), recoveryId })]
    },
  }
}

function withV({ r, s, recoveryId }: EthereumSignature): TransactionSignature {
  return { r, s, v: `0${recoveryId}` }
}

function halvesOf(signature: Uint8Array) {
  return { r: bytesToHex(signature.subarray(0, 32)), s: bytesToHex(signature.subarray(32)) }
}

function theOnly(signatures: readonly TransactionSignature[]): TransactionSignature {
  const [signature, another] = signatures
  assert(signature !== undefined && another === undefined, 'one signature for one message')
  return signature
}
