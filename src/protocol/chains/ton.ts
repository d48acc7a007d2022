import { strict as assert } from 'node:assert'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { crc16 } from './crc16.ts'

/** TON's standard wallet contracts, by version and revision. */
export type TonWallet = 'V3R2' | 'V4R2' | 'V5R1'

/** A cell as the cells that refer to it see it; `depth` is the length of the longest chain of references below it. */
export type TonCell = { readonly hash: Uint8Array; readonly depth: number }

/**
 * Returns the address in workchain 0 of the wallet contract of this 32-byte Ed25519 key: the hash of its state init, in
 * the URL-safe text form that does not bounce (TEP-2), 48 characters that begin with `UQ`.
 */
export function tonAddress(wallet: TonWallet, publicKey: Uint8Array): string {
  assert(publicKey.length === 32, 'an Ed25519 public key')
  const { code, dataBits } = tonWallets[wallet]
  const { hash } = tonCell(stateInitBits, [code, tonCell(dataBits(bitsOf(publicKey)))])
  const unchecked = concatBytes(Uint8Array.of(notBounceableTag, workchain), hash)
  const checksum = crc16(unchecked)
  return base64urlnopad.encode(concatBytes(unchecked, Uint8Array.of(checksum >> 8, checksum & 0xff)))
}

/**
 * Makes an ordinary cell of up to 1023 bits (a character 0 or 1 for each) and up to four references. Its hash is
 * SHA-256 of its standard representation ("Telegram Open Network Virtual Machine", 3.1.4 and 3.1.5).
 */
export function tonCell(bits: string, references: readonly TonCell[] = []): TonCell {
  assert(bits.length <= 1023 && references.length <= 4, 'a cell has at most 1023 bits and 4 references')
  const isWhole = bits.length % 8 === 0
  const bytesCount = Math.ceil(bits.length / 8)
  const padded = isWhole ? bits : `${bits}1`.padEnd(bytesCount * 8, '0')
  const representation = concatBytes(
    Uint8Array.of(references.length, isWhole ? bytesCount * 2 : bytesCount * 2 - 1),
    Uint8Array.from(padded.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2)),
    ...references.map(({ depth }) => Uint8Array.of(depth >> 8, depth & 0xff)),
    ...references.map(({ hash }) => hash),
  )
  const depth = references.length === 0 ? 0 : 1 + Math.max(...references.map((reference) => reference.depth))
  return { hash: sha256(representation), depth }
}

const notBounceableTag = 0x51
const workchain = 0

/** `StateInit` of block.tlb: code and data, but no split depth, no special contract, no library. */
const stateInitBits = '00110'

const seqno = unsigned32(0)
/** The id of version 3 and 4 wallets: the first four bytes of the hash of the main network's first state. */
const walletId = unsigned32(698983191)
/** Version 5: the id of the main network, -239, xor 2^31, which stands for workchain, version and subwallet 0. */
const walletIdV5 = unsigned32(2147483409)
const signatureAllowed = '1'
const noPlugins = '0'
const noExtensions = '0'

type WalletContract = {
  /** The root cell of the contract's compiled code. */
  readonly code: TonCell
  /** Makes the bits of the contract's initial state. */
  readonly dataBits: (publicKeyBits: string) => string
}

/** Hashes: docs.ton.org, "Wallets history", "Wallet contract hashes". Depths, and the data: the source of @ton/ton. */
export const tonWallets: Readonly<Record<TonWallet, WalletContract>> = {
  V3R2: {
    code: { hash: hexToBytes('84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599'), depth: 0 },
    dataBits: (publicKey) => `${seqno}${walletId}${publicKey}`,
  },
  V4R2: {
    code: { hash: hexToBytes('feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0'), depth: 7 },
    dataBits: (publicKey) => `${seqno}${walletId}${publicKey}${noPlugins}`,
  },
  V5R1: {
    code: { hash: hexToBytes('20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f'), depth: 6 },
    dataBits: (publicKey) => `${signatureAllowed}${seqno}${walletIdV5}${publicKey}${noExtensions}`,
  },
}

function unsigned32(value: number): string {
  return value.toString(2).padStart(32, '0')
}

function bitsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
}
