import { sha256 } from '@noble/hashes/sha2.js'
import { sha3_256 } from '@noble/hashes/sha3.js'
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * Signed content of some chains begins with these bytes, so that it means nothing on another one. They tell the chain.
 * The bytes behind them are not read.
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
  // The id of the network of EOS.
  ['EOS', hexToBytes('aca376f206b8fc25a6ed44dbdc66547c36c6c33e3a119ffbeaef943642f0e906')],
  // The serialization of ICON, which is a text: the method and its parameters.
  ['ICON', utf8ToBytes('icx_sendTransaction.')],
  // The Internet Computer: the separator of the hash of a request, and that of a delegation to another key.
  ['Internet Computer', utf8ToBytes('\x0aic-request')],
  ['Internet Computer', utf8ToBytes('\x1aic-request-auth-delegation')],
  // The domain tag of Flow, with zeros up to 32 bytes.
  ['Flow', utf8ToBytes(`FLOW-V0.0-transaction${'\0'.repeat(11)}`)],
  // BIP-341: the tag of its signature message, twice.
  ['Bitcoin', twice(sha256(utf8ToBytes('TapSighash')))],
]

/** Chains that sign JSON in one form, without blanks: how it begins, and members that it has. */
const jsonForms = [
  // `StdSignDoc`, with sorted members.
  { chain: 'Cosmos', start: '{"account_number":"', members: ['"chain_id":"', '"msgs":[', '"sequence":"'] },
  { chain: 'MultiversX', start: '{"nonce":', members: ['"receiver":"', '"sender":"', '"gasLimit":', '"chainID":"'] },
]

/** Returns the chain on which these bytes are what a transaction's signature is made of. Undefined if none is known. */
export function chainOf(bytes: Uint8Array): string | undefined {
  if (isNeo(bytes)) return 'Neo'
  const found = prefixes.find(([, prefix]) => Buffer.from(bytes.subarray(0, prefix.length)).equals(prefix))
  return found?.[0] ?? (isAlgorand(bytes) ? 'Algorand' : jsonChainOf(bytes))
}

/** Neo N3: the number of the main or the test network, which reads as a text, and the hash of a transaction. */
function isNeo(bytes: Uint8Array): boolean {
  return bytes.length === 36 && ['NEO3', 'N3T5'].includes(Buffer.from(bytes.subarray(0, 4)).toString('latin1'))
}

function jsonChainOf(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  return jsonForms.find(({ start, members }) => text.startsWith(start) && members.every((one) => text.includes(one)))
    ?.chain
}

/**
 * `TX`, and a map of MessagePack with up to 15 members, or with more. Or a program with its version, which pays from
 * the account of its signer, whenever it agrees to a transaction. It may be a text that a person can read.
 */
function isAlgorand(bytes: Uint8Array): boolean {
  const [tag = ''] = /^(TX|(Msig)?Program)/.exec(Buffer.from(bytes.subarray(0, 11)).toString('latin1')) ?? []
  const next = bytes[tag.length] ?? 0
  return tag === 'TX' ? (next >= 0x80 && next <= 0x8f) || next === 0xde : tag !== '' && next > 0 && next < 0x20
}

function twice(bytes: Uint8Array): Uint8Array {
  return concatBytes(bytes, bytes)
}
