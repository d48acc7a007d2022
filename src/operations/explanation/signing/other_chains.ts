import { sha256 } from '@noble/hashes/sha2.js'
import { sha3_256 } from '@noble/hashes/sha3.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * What is signed on some chains begins with these bytes, so that it means nothing on another one. The chain is known by
 * them, and what follows is not read.
 */
const prefixes: readonly (readonly [chain: string, prefix: Uint8Array])[] = [
  // Serialization, "Hash Prefixes": a transaction for one signature and for several.
  ['XRP Ledger', utf8ToBytes('STX\0')],
  ['XRP Ledger', utf8ToBytes('SMT\0')],
  // `SignatureDomain` of Aptos: the name of the struct that follows.
  ['Aptos', sha3_256(utf8ToBytes('APTOS::RawTransaction'))],
  ['Aptos', sha3_256(utf8ToBytes('APTOS::RawTransactionWithData'))],
  // `TransactionSignaturePayload` of Stellar: the id of the network.
  ['Stellar', sha256(utf8ToBytes('Public Global Stellar Network ; September 2015'))],
  ['Stellar', sha256(utf8ToBytes('Test SDF Network ; September 2015'))],
  // BIP-341: the tag of its signature message, twice.
  ['Bitcoin', twice(sha256(utf8ToBytes('TapSighash')))],
]

/** `StdSignDoc` of Cosmos, which is signed as JSON with sorted members and without blanks. */
const cosmosStart = '{"account_number":"'
const cosmosMembers = ['"chain_id":"', '"msgs":[', '"sequence":"']

/** Returns the chain on which these bytes are what a transaction's signature is made of. Undefined if none is known. */
export function chainOf(bytes: Uint8Array): string | undefined {
  const found = prefixes.find(([, prefix]) => Buffer.from(bytes.subarray(0, prefix.length)).equals(prefix))
  return found?.[0] ?? (isCosmos(bytes) ? 'Cosmos' : undefined)
}

function isCosmos(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1')
  return text.startsWith(cosmosStart) && cosmosMembers.every((name) => text.includes(name))
}

function twice(bytes: Uint8Array): Uint8Array {
  return concatBytes(bytes, bytes)
}
