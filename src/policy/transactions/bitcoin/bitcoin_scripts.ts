import { equalBytes } from '@noble/curves/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import {
  type BitcoinNetwork,
  base58Check,
  hash160,
  nestedRedeemScript,
  segwit,
  soleKeyWitnessScript,
  taprootOutputKey,
} from '../../../protocol/chains/address_formats.ts'
import { bitcoinScriptKinds } from '../../language/names/payload_types.ts'

/** The kinds as they occur in the names of address formats. */
export const scriptKinds = bitcoinScriptKinds
export type ScriptKind = (typeof scriptKinds)[number]

/** The scripts by which a key owns an output. They are those behind the addresses of this server. */
export type OwnScript = {
  readonly kind: ScriptKind
  readonly script: Uint8Array
  /** The scripts that a PSBT must carry so that the input can be spent. */
  readonly redeemScript: Uint8Array | undefined
  readonly witnessScript: Uint8Array | undefined
}

/** `publicKey` is compressed. */
export function ownScript(kind: ScriptKind, publicKey: Uint8Array): OwnScript {
  const none = { kind, redeemScript: undefined, witnessScript: undefined }
  switch (kind) {
    case 'P2PKH':
      return { ...none, script: payToKeyHash(publicKey) }
    case 'P2SH': {
      const redeemScript = nestedRedeemScript(publicKey)
      return { ...none, script: framed(templates.P2SH, hash160(redeemScript)), redeemScript }
    }
    case 'P2WPKH':
      return { ...none, script: framed(templates.P2WPKH, hash160(publicKey)) }
    case 'P2WSH': {
      const witnessScript = soleKeyWitnessScript(publicKey)
      return { ...none, script: framed(templates.P2WSH, sha256(witnessScript)), witnessScript }
    }
    case 'P2TR':
      return { ...none, script: framed(templates.P2TR, taprootOutputKey(publicKey)) }
  }
}

/** All scripts by which a key owns an output, in hex. `publicKey` is compressed. */
export function scriptsOwnedBy(publicKey: Uint8Array): ReadonlySet<string> {
  return new Set(scriptKinds.map((kind) => bytesToHex(ownScript(kind, publicKey).script)))
}

/** BIP-143 uses this script as the script code of an output of P2WPKH. */
export function payToKeyHash(publicKey: Uint8Array): Uint8Array {
  return framed(templates.P2PKH, hash160(publicKey))
}

/** Returns the kind of output that this script makes, and its address. Undefined if it has none, as with OP_RETURN. */
export function addressOfScript(
  script: Uint8Array,
  { p2pkhVersion, p2shVersion, prefix }: BitcoinNetwork,
): { readonly kind: ScriptKind; readonly address: string } | undefined {
  const kind = scriptKinds.find((candidate) => hasTemplate(script, templates[candidate]))
  if (kind === undefined) return undefined
  const { before, length } = templates[kind]
  const hash = script.subarray(before.length, before.length + length)
  switch (kind) {
    case 'P2PKH':
      return { kind, address: base58Check(p2pkhVersion, hash) }
    case 'P2SH':
      return { kind, address: base58Check(p2shVersion, hash) }
    case 'P2WPKH':
    case 'P2WSH':
      return { kind, address: segwit({ prefix, version: 0, program: hash }) }
    case 'P2TR':
      return { kind, address: segwit({ prefix, version: 1, program: hash }) }
  }
}

/** BIP-141: a version from 0 to 16 and one push of 2 to 40 bytes. */
export function isWitnessProgram(script: Uint8Array): boolean {
  const [version = -1, pushed] = script
  const hasVersion = version === 0 || (version >= 0x51 && version <= 0x60)
  return hasVersion && script.length >= 4 && script.length <= 42 && pushed === script.length - 2
}

export function isPayToScriptHash(script: Uint8Array): boolean {
  return hasTemplate(script, templates.P2SH)
}

type Template = { readonly before: readonly number[]; readonly length: number; readonly after: readonly number[] }

const templates: Readonly<Record<ScriptKind, Template>> = {
  P2PKH: { before: [0x76, 0xa9, 0x14], length: 20, after: [0x88, 0xac] },
  P2SH: { before: [0xa9, 0x14], length: 20, after: [0x87] },
  P2WPKH: { before: [0x00, 0x14], length: 20, after: [] },
  P2WSH: { before: [0x00, 0x20], length: 32, after: [] },
  P2TR: { before: [0x51, 0x20], length: 32, after: [] },
}

function framed({ before, after }: Template, hash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.from(before), hash, Uint8Array.from(after))
}

function hasTemplate(script: Uint8Array, template: Template): boolean {
  const { before, length } = template
  const hash = script.subarray(before.length, before.length + length)
  return hash.length === length && equalBytes(script, framed(template, hash))
}
