import { equalBytes } from '@noble/curves/utils.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { derOfEcdsaSignature, ecdsaSignatureFromDer } from '../../../protocol/crypto/der.ts'
import { lazily } from '../../../protocol/tools/lazily.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import type { OpenTransaction, ReadSignature, TransactionSignature } from '../transaction_kind.ts'
import { invalid } from '../unsigned_transaction.ts'
import { type BitcoinDigests, bitcoinDigests, type HashType } from './bitcoin_digests.ts'
import { type OwnScript, ownScript, payToKeyHash, type ScriptKind } from './bitcoin_scripts.ts'
import type { Psbt } from './psbt.ts'
import {
  type PsbtEntry,
  type PsbtMap,
  psbtEntriesMax,
  psbtReader,
  readMap,
  serializePsbt,
  valueOfType,
  withEntry,
} from './psbt_maps.ts'

/** BIP-174, BIP-371. */
const inputTypes = {
  partialSignature: 0x02,
  sighashType: 0x03,
  redeemScript: 0x04,
  witnessScript: 0x05,
  finalScriptSig: 0x07,
  finalScriptWitness: 0x08,
  taprootKeySignature: 0x13,
  taprootLeafScript: 0x15,
  taprootInternalKey: 0x17,
  taprootMerkleRoot: 0x18,
} as const

/** The messages that a key signs for a PSBT, and the same PSBT with the signatures, not finalized. */
export type PsbtSigning = Pick<OpenTransaction, 'serialize' | 'signaturesIn'> & {
  readonly messages: readonly InputMessage[]
}

/** `index` is the one of the input that the signature spends. */
export type InputMessage = OpenTransaction['messages'][number] & { readonly index: number }

/**
 * Prepares the signatures of the inputs that pay to this key in one of these ways. Throws TRANSACTION_INVALID when
 * there is none, or when one of them asks for anything but a signature of the whole transaction with the script behind
 * the key's address.
 */
export function psbtSigning(psbt: Psbt, { publicKey, kinds }: KeyOfScripts): PsbtSigning {
  const { transaction, spent, maps } = psbt
  const digests = lazily(() => bitcoinDigests(transaction, spent))
  const signings = signedInputs(psbt, { publicKey, kinds }).map(({ map, index, own }) => {
    const hashType = requireSignable(map, { own, publicKey, index })
    const scheme = own.kind === 'P2TR' ? ('taproot' as const) : ('default' as const)
    const digested = { own, publicKey, index, hashType }
    return {
      ...{ index, hashType, scheme },
      get message() {
        return digestOf({ ...digested, digests: digests() })
      },
    }
  })
  if (signings.length === 0) throw invalid('has no input that the key of signWith could sign')
  return {
    messages: signings,
    serialize(signatures) {
      const inputs = [...maps.inputs]
      for (const [at, { index, scheme, hashType }] of signings.entries()) {
        const [map, signature] = [inputs[index], signatures[at]]
        if (map === undefined || signature === undefined) continue
        inputs[index] = withEntry(map, signatureEntry({ scheme, hashType, publicKey, signature }))
      }
      return serializePsbt([maps.global, ...inputs, ...maps.outputs])
    },
    signaturesIn(signed) {
      const inputs = inputMapsOf(signed, maps.inputs.length)
      const found = signings.map(({ index, scheme }) => readSignature(inputs[index] ?? [], { scheme, publicKey }))
      return found.every((signature) => signature !== undefined) ? found : undefined
    },
  }
}

/** `publicKey` is compressed. `kinds`: the scripts that it signs for. */
type KeyOfScripts = { readonly publicKey: Uint8Array; readonly kinds: readonly ScriptKind[] }

type SignedInput = { readonly map: PsbtMap; readonly index: number; readonly own: OwnScript }

/** The inputs that pay to this key in one of these ways and are not final: those that it signs. */
export function signedInputs({ spent, maps }: Psbt, { publicKey, kinds }: KeyOfScripts): readonly SignedInput[] {
  const scripts = kinds.map((kind) => ownScript(kind, publicKey))
  return maps.inputs.flatMap((map, index) => {
    const own = scripts.find(({ script }) => equalBytes(script, spent[index]?.script ?? new Uint8Array(0)))
    return own === undefined || isFinal(map) ? [] : [{ map, index, own }]
  })
}

function isFinal(map: PsbtMap): boolean {
  const finalTypes: readonly (number | undefined)[] = [inputTypes.finalScriptSig, inputTypes.finalScriptWitness]
  return map.some(({ key }) => finalTypes.includes(key[0]))
}

type OwnInput = { readonly own: OwnScript; readonly publicKey: Uint8Array; readonly index: number }

/** Returns the sighash type that the input asks for. Throws for entries that would weaken the signature. */
function requireSignable(map: PsbtMap, { own, publicKey, index }: OwnInput): HashType {
  const name = `input ${index}`
  requireSame(valueOfType(map, inputTypes.redeemScript, `the redeem script of ${name}`), {
    expected: own.redeemScript,
    what: `the redeem script of ${name}`,
  })
  requireSame(valueOfType(map, inputTypes.witnessScript, `the witness script of ${name}`), {
    expected: own.witnessScript,
    what: `the witness script of ${name}`,
  })
  if (own.kind === 'P2TR') requireKeyPath(map, { publicKey, name })
  const given = valueOfType(map, inputTypes.sighashType, `the sighash type of ${name}`)
  const standard = own.kind === 'P2TR' ? 0 : 1
  if (given === undefined) return standard
  const [hashType, ...rest] = given
  const isAllowed = hashType === 1 || hashType === standard
  if (given.length === 4 && isAllowed && rest.every((byte) => byte === 0)) return hashType === 0 ? 0 : 1
  throw invalid(`the sighash type of ${name} must be ALL${own.kind === 'P2TR' ? ' or DEFAULT' : ''}`)
}

function requireSame(
  given: Uint8Array | undefined,
  { expected, what }: { readonly expected: Uint8Array | undefined; readonly what: string },
): void {
  if (expected === undefined && given === undefined) return
  if (expected === undefined) throw invalid(`${what} does not belong to what it spends`)
  // Without the script nobody could finalize the input.
  if (given === undefined) throw invalid(`${what} is missing`)
  if (!equalBytes(given, expected)) throw invalid(`${what} is not the one behind the address`)
}

/** BIP-86: there are no scripts besides the key. */
function requireKeyPath(map: PsbtMap, { publicKey, name }: { readonly publicKey: Uint8Array; readonly name: string }) {
  const scriptTypes: readonly (number | undefined)[] = [inputTypes.taprootLeafScript, inputTypes.taprootMerkleRoot]
  if (map.some(({ key }) => scriptTypes.includes(key[0]))) {
    throw invalid(`${name} has scripts of Taproot; only its key is signed for`)
  }
  const internalKey = valueOfType(map, inputTypes.taprootInternalKey, `the internal key of ${name}`)
  if (internalKey !== undefined && !equalBytes(internalKey, publicKey.subarray(1))) {
    throw invalid(`the internal key of ${name} is not the one behind the address`)
  }
}

type ToDigest = OwnInput & { readonly hashType: HashType; readonly digests: BitcoinDigests }

function digestOf({ own, publicKey, index, hashType, digests }: ToDigest): Uint8Array {
  switch (own.kind) {
    case 'P2PKH':
      return digests.legacy(index, own.script)
    case 'P2SH':
    case 'P2WPKH':
      return digests.witnessV0(index, payToKeyHash(publicKey))
    case 'P2WSH':
      return digests.witnessV0(index, own.witnessScript ?? own.script)
    case 'P2TR':
      return digests.taproot(index, hashType)
  }
}

type Signed = {
  readonly scheme: 'taproot' | 'default'
  readonly hashType: HashType
  readonly publicKey: Uint8Array
  readonly signature: TransactionSignature
}

/** The maps of the inputs of a signed PSBT. */
function inputMapsOf(signed: Uint8Array, count: number): readonly PsbtMap[] {
  const [reader, room] = [psbtReader(signed), { entries: psbtEntriesMax }]
  finished(readMap(reader, room))
  return Array.from({ length: count }, () => finished(readMap(reader, room)))
}

/** Reads what `signatureEntry` writes. */
function readSignature(
  map: PsbtMap,
  { scheme, publicKey }: Pick<Signed, 'scheme' | 'publicKey'>,
): ReadSignature | undefined {
  const key = signatureKey({ scheme, publicKey })
  const value = map.find((entry) => equalBytes(entry.key, key))?.value
  if (value === undefined) return undefined
  const signature = scheme === 'taproot' ? value.slice(0, 64) : ecdsaSignatureFromDer(value.subarray(0, -1))
  return signature && { r: bytesToHex(signature.subarray(0, 32)), s: bytesToHex(signature.subarray(32)) }
}

function signatureKey({ scheme, publicKey }: Pick<Signed, 'scheme' | 'publicKey'>): Uint8Array {
  if (scheme === 'taproot') return Uint8Array.of(inputTypes.taprootKeySignature)
  return concatBytes(Uint8Array.of(inputTypes.partialSignature), publicKey)
}

function signatureEntry({ scheme, hashType, publicKey, signature: { r, s } }: Signed): PsbtEntry {
  const signature = hexToBytes(`${r}${s}`)
  // BIP-341: a signature without a type byte is DEFAULT.
  const type = Uint8Array.from(hashType === 0 ? [] : [hashType])
  const written = scheme === 'taproot' ? signature : derOfEcdsaSignature(signature)
  return { key: signatureKey({ scheme, publicKey }), value: concatBytes(written, type) }
}
