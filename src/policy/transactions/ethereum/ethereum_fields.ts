import { bytesToHex } from '@noble/hashes/utils.js'
import { decodeRlpInSteps, type RlpItem } from '../../../protocol/chains/rlp.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { invalid } from '../unsigned_transaction.ts'

/** Storage that the transaction announces to use (EIP-2930): an address of 20 bytes, and keys of 32. */
export type AccessListEntry = { readonly address: Uint8Array; readonly storageKeys: readonly Uint8Array[] }

/** An account's signed permission to run code as its own (EIP-7702). Chain id zero means every chain. */
export type Authorization = {
  readonly chainId: bigint
  readonly address: string
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

export const uint256Max = 2n ** 256n - 1n
export const uint64Max = 2n ** 64n - 1n
const uint8Max = 255n
/** EIP-7825 leaves a transaction room for 671 authorizations, and EIP-7594 for 6 blobs. */
export const authorizationsMax = 1_000
export const blobsMax = 1_000
/** Bounded so that `v` of EIP-155 fits 64 bits too, as other implementations expect (EIP-2294's reason). */
const chainIdMax = uint64Max / 2n - 36n

type Bounds = { readonly name: string; readonly max: bigint }
type Length = { readonly name: string; readonly length: number }

export function* decodeFields(bytes: Uint8Array): Steps<readonly RlpItem[]> {
  const decoded = yield* decodeRlpInSteps(bytes)
  if (decoded.kind === 'malformed') throw invalid(decoded.reason)
  if (decoded.item instanceof Uint8Array) throw invalid('its content must be an RLP list')
  return decoded.item
}

export function readChainId(item: RlpItem | undefined): bigint {
  const chainId = readInteger(item, { name: 'chainId', max: chainIdMax })
  if (chainId === 0n) throw invalid('chainId must not be zero')
  return chainId
}

export function readInteger(item: RlpItem | undefined, { name, max }: Bounds): bigint {
  const bytes = readBytes(item, name)
  if (bytes[0] === 0) throw invalid(`${name} has a leading zero`)
  // 32 bytes hold the largest maximum. Longer bytes are not turned into a number at all.
  const value = bytes.length > 32 ? undefined : BigInt(`0x0${bytesToHex(bytes)}`)
  if (value === undefined || value > max) throw invalid(`${name} is above ${max}`)
  return value
}

export function readAccessList(item: RlpItem | undefined): readonly AccessListEntry[] {
  return readList(item, 'accessList').map((entry) => {
    const [address, storageKeys, ...others] = readList(entry, 'an entry of accessList')
    if (others.length > 0) throw invalid('an entry of accessList has more than an address and its keys')
    return {
      address: readFixed(address, { name: 'an address in accessList', length: 20 }),
      storageKeys: readList(storageKeys, 'the keys in accessList').map((key) =>
        readFixed(key, { name: 'a key in accessList', length: 32 }),
      ),
    }
  })
}

/** EIP-4844: SHA-256 of each blob's commitment, with the version as its first byte. */
export function readBlobHashes(item: RlpItem | undefined): readonly string[] {
  const hashes = readList(item, 'blobVersionedHashes', blobsMax).map((hash) =>
    readHex(hash, { name: 'a hash in blobVersionedHashes', length: 32 }),
  )
  if (hashes.length === 0) throw invalid('blobVersionedHashes must not be empty')
  if (hashes.some((hash) => !hash.startsWith('0x01'))) throw invalid('a hash in blobVersionedHashes must begin with 01')
  return hashes
}

/** EIP-7702, "Set code transaction": the bounds of its tuples. The signatures in the tuples are not verified. */
export function readAuthorizations(item: RlpItem | undefined): readonly Authorization[] {
  const name = (field: string) => `${field} in authorizationList`
  const authorizations = readList(item, 'authorizationList', authorizationsMax).map((entry) => {
    const [chainId, address, nonce, yParity, r, s, ...others] = readList(entry, 'an entry of authorizationList')
    if (others.length > 0) throw invalid('an entry of authorizationList has more than six fields')
    return {
      chainId: readInteger(chainId, { name: name('chainId'), max: uint256Max }),
      address: readHex(address, { name: name('an address'), length: 20 }),
      nonce: readInteger(nonce, { name: name('nonce'), max: uint64Max }),
      yParity: readInteger(yParity, { name: name('yParity'), max: uint8Max }),
      r: readInteger(r, { name: name('r'), max: uint256Max }),
      s: readInteger(s, { name: name('s'), max: uint256Max }),
    }
  })
  if (authorizations.length === 0) throw invalid('authorizationList must not be empty')
  return authorizations
}

function readHex(item: RlpItem | undefined, given: Length): string {
  return `0x${bytesToHex(readFixed(item, given))}`
}

function readFixed(item: RlpItem | undefined, { name, length }: Length): Uint8Array {
  const bytes = readBytes(item, name)
  if (bytes.length !== length) throw invalid(`${name} must be ${length} bytes`)
  return bytes
}

export function readBytes(item: RlpItem | undefined, name: string): Uint8Array {
  if (!(item instanceof Uint8Array)) throw invalid(`${name} must be bytes, not a list`)
  return item
}

function readList(item: RlpItem | undefined, name: string, max = Infinity): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw invalid(`${name} must be a list`)
  if (item.length > max) throw invalid(`${name} has more than ${max} items`)
  return item
}

export function isEmpty(item: RlpItem | undefined): boolean {
  return item instanceof Uint8Array && item.length === 0
}
