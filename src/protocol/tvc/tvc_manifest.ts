import { sha256 } from '@noble/hashes/sha2.js'
import { bool, bytes, list, option, struct, text, u8, u16, u32 } from '../chains/borsh.ts'
import type { JsonObject } from '../wire/json.ts'
import { qosJson } from './qos_json.ts'

/**
 * The manifest of QuorumOS: what one enclave runs, and who may approve it. On the wire it is JSON with exactly these
 * members; keys, hashes and certificates are lower-case hex.
 */
export type QuorumMember = { readonly alias: string; readonly pubKey: string }
export type MemberSet = { readonly threshold: number; readonly members: readonly QuorumMember[] }

type Bridge =
  | { readonly type: 'server'; readonly port: number; readonly host: string }
  | { readonly type: 'client'; readonly port: number; readonly host?: string }

type Namespace = {
  readonly name: string
  /** Grows with every manifest of the namespace; 32 bits. */
  readonly nonce: number
  /** The quorum key's public half: 130 bytes. */
  readonly quorumKey: string
}

type Pivot = {
  /** SHA-256 of the binary. */
  readonly hash: string
  readonly restart: 'Never' | 'Always'
  readonly bridgeConfig: readonly Bridge[]
  readonly debugMode: boolean
  readonly args: readonly string[]
}

type Enclave = {
  /** SHA-384, 48 bytes each; empty when nothing was measured. */
  readonly pcr0: string
  readonly pcr1: string
  readonly pcr2: string
  readonly pcr3: string
  /** DER. */
  readonly awsRootCertificate: string
  readonly qosCommit: string
}

type Common = {
  readonly namespace: Namespace
  readonly pivot: Pivot
  readonly manifestSet: MemberSet
  readonly shareSet: MemberSet
  readonly enclave: Enclave
}

export type ManifestV1 = Common & {
  readonly patchSet: { readonly threshold: number; readonly members: readonly Pick<QuorumMember, 'pubKey'>[] }
}

export type ManifestV2 = Common & {
  readonly version: 'v2'
  readonly pivot: Pivot & {
    /** Absent if there are none. */
    readonly env?: { readonly [name: string]: { readonly plain: { readonly value: string } } }
  }
  readonly dns?: { readonly resolvers: readonly string[] }
}

export type Manifest = ManifestV1 | ManifestV2

/**
 * Returns the 32 bytes that operators sign and an enclave attests: SHA-256 of the Borsh form for version 1, of the
 * canonical JSON for version 2.
 */
export function manifestHash(manifest: Manifest): Uint8Array {
  if (!('version' in manifest)) return sha256(borshOf(manifest))
  // A manifest is JSON, but the compiler does not assign its type to JsonObject.
  const json: JsonObject = { ...manifest }
  return sha256(Buffer.from(qosJson(json), 'utf8'))
}

const restartPolicies = ['Never', 'Always'] as const

function borshOf({ namespace, pivot, manifestSet, shareSet, enclave, patchSet }: ManifestV1): Uint8Array {
  return struct(
    text(namespace.name),
    u32(namespace.nonce),
    hexBytes(namespace.quorumKey),
    Buffer.from(pivot.hash, 'hex'),
    u8(restartPolicies.indexOf(pivot.restart)),
    list(pivot.bridgeConfig, borshOfBridge),
    bool(pivot.debugMode),
    list(pivot.args, text),
    borshOfSet(manifestSet),
    borshOfSet(shareSet),
    hexBytes(enclave.pcr0),
    hexBytes(enclave.pcr1),
    hexBytes(enclave.pcr2),
    hexBytes(enclave.pcr3),
    hexBytes(enclave.awsRootCertificate),
    text(enclave.qosCommit),
    u32(patchSet.threshold),
    list(patchSet.members, ({ pubKey }) => hexBytes(pubKey)),
  )
}

function borshOfBridge(bridge: Bridge): Uint8Array {
  return bridge.type === 'server'
    ? struct(u8(0), u16(bridge.port), text(bridge.host))
    : struct(u8(1), u16(bridge.port), option(bridge.host, text))
}

function borshOfSet({ threshold, members }: MemberSet): Uint8Array {
  return struct(
    u32(threshold),
    list(members, ({ alias, pubKey }) => struct(text(alias), hexBytes(pubKey))),
  )
}

function hexBytes(hex: string): Uint8Array {
  return bytes(Buffer.from(hex, 'hex'))
}
