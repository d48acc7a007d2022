import {
  Account,
  AccountAddress,
  ChainId,
  EntryFunction,
  generateSigningMessageForTransaction,
  RawTransaction,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from '@aptos-labs/ts-sdk'
import { makeSignDoc, serializeSignDoc } from '@cosmjs/amino'
import { messageWithIntent } from '@mysten/sui/cryptography'
import { blake2b } from '@noble/hashes/blake2.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { PublicKey, StakeProgram, SystemProgram, TransactionInstruction, TransactionMessage } from '@solana/web3.js'
import * as stellar from '@stellar/stellar-base'
import { beginCell } from '@ton/core'
import { Psbt, payments, script as scripts, Transaction } from 'bitcoinjs-lib'
import { computeAddress, getBytes, hashMessage } from 'ethers'
import fc from 'fast-check'
import { utils } from 'tronweb'
import {
  encodeFunctionData,
  erc20Abi,
  keccak256,
  maxUint256,
  parseAbi,
  serializeTransaction,
  toHex,
  toPrefixedMessage,
  toRlp,
} from 'viem'
import { hashAuthorization } from 'viem/utils'
import { expect, test } from 'vitest'
import { encodeForSigning } from 'xrpl'
import type { Explanation, Value } from '../../src/contract/explanation/explanation.ts'
import { prepareBitcoinjs } from '../support/bitcoinjs.ts'
import { explaining, memberOf, plain, valuesAt } from '../support/explanations.ts'
import { newAccount, newPrivateKey, startOrganization } from '../support/organization.ts'

/** Payloads that are signed as they are: what nobody can read is said first, whatever else it may be. */

prepareBitcoinjs()
const organization = await startOrganization()
const { done, found } = organization
const explain = explaining(organization)
const { addresses, walletId } = await done('create_wallet', {
  walletName: 'Treasury',
  accounts: [newAccount({ path: "m/84'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' })],
})
const [signWith] = addresses.map(String)
const { accounts } = await found('list_wallet_accounts', { walletId })
const pubkey = hexToBytes(String(accounts[0].publicKey))
const { privateKeys } = await done('create_private_keys', {
  privateKeys: [newPrivateKey({ privateKeyName: 'Ed', curve: 'CURVE_ED25519' })],
})
const edKey = String(privateKeys[0].privateKeyId)

type HashFunction = 'NO_OP' | 'SHA256' | 'KECCAK256' | 'NOT_APPLICABLE'

function payloadOf(payload: Uint8Array | string, hash: HashFunction) {
  return {
    signWith: hash === 'NOT_APPLICABLE' ? edKey : signWith,
    payload: typeof payload === 'string' ? payload : bytesToHex(payload),
    encoding: typeof payload === 'string' ? 'PAYLOAD_ENCODING_TEXT_UTF8' : 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: `HASH_FUNCTION_${hash}`,
  }
}

const explainPayload = (payload: Uint8Array | string, hash: HashFunction) =>
  explain('sign_raw_payload', payloadOf(payload, hash))

const codesIn = ({ title }: Pick<Explanation, 'title'>) => (title.warnings ?? []).map(({ code }) => code)

const paid = payments.p2wpkh({ pubkey }).output ?? new Uint8Array()
const stranger = hexToBytes('0014751e76e8199196d454941c45d1b3a323f1433bd6')
const spentAmount = 100_000n
const spentHash = new Uint8Array(32).fill(7)

function u32(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24)
}

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value, true)
  return bytes
}

const twice = (bytes: Uint8Array) => sha256(sha256(bytes))

/** A payment to a stranger by bitcoinjs-lib, and the preimage of BIP-143 of its only input. */
function payment() {
  const psbt = new Psbt()
  psbt.addInput({ hash: spentHash, index: 1, witnessUtxo: { script: paid, value: spentAmount } })
  psbt.addOutput({ script: stranger, value: 99_000n })
  const scriptCode = payments.p2pkh({ pubkey }).output ?? new Uint8Array()
  const transaction = new Transaction()
  transaction.version = 2
  transaction.addInput(spentHash, 1)
  transaction.addOutput(stranger, 99_000n)
  const digest = transaction.hashForWitnessV0(0, scriptCode, spentAmount, Transaction.SIGHASH_ALL)
  const outpoint = concatBytes(spentHash, u32(1))
  const preimage = concatBytes(
    ...[u32(2), twice(outpoint), twice(u32(0xffffffff)), outpoint, Uint8Array.of(scriptCode.length), scriptCode],
    ...[u64(spentAmount), u32(0xffffffff), twice(concatBytes(u64(99_000n), Uint8Array.of(stranger.length), stranger))],
    ...[u32(0), u32(Transaction.SIGHASH_ALL)],
  )
  expect(bytesToHex(twice(preimage))).toBe(bytesToHex(digest))
  return { psbt, digest, preimage, transaction, scriptCode }
}

test.each(['NO_OP', 'SHA256'] as const)(
  'a payment that bitcoinjs-lib finalizes from a signature of bytes (%s) has its warning in the title',
  async (hash) => {
    const { psbt, digest, preimage } = payment()
    const given = payloadOf(hash === 'NO_OP' ? digest : sha256(preimage), hash)
    const { r, s } = await done('sign_raw_payload', given)
    const signature = scripts.signature.encode(hexToBytes(`${r}${s}`), Transaction.SIGHASH_ALL)
    psbt.updateInput(0, { partialSig: [{ pubkey, signature }] })
    expect(psbt.finalizeAllInputs().extractTransaction().outs[0]?.script).toEqual(stranger)
    const { explanation, lines } = await explain('sign_raw_payload', given)
    expect(codesIn(explanation)).toEqual([hash === 'NO_OP' ? 'onlyHash' : 'mayBeHash'])
    expect(lines[0]).toMatch(/^WARNING: .*nobody can tell .*\. Sign a payload$/)
  },
)

test('the preimage of a payment (BIP-143) is shown as what it says, without recipients', async () => {
  const { preimage } = payment()
  const { explanation, lines } = await explainPayload(preimage, 'SHA256')
  expect(codesIn(explanation)).toEqual(['goesTo', 'isTransaction'])
  expect(lines[0]).toMatch(/^WARNING: somebody whom only a hash names gets 0\.001 BTC \(100000 satoshi\), and 1 more\./)
  const readsAs = memberOf(valuesAt(explanation, 'payloads', 'payload')[0], 'readsAs')
  expect(plain(memberOf(readsAs, 'amount'))).toBe(spentAmount)
  expect(plain(memberOf(memberOf(readsAs, 'input'), 'spends'))).toBe(`0x${bytesToHex(spentHash.toReversed())}`)
  expect(memberOf(readsAs, 'recipients')).toEqual({ kind: 'note', code: 'notInContent' })
})

test('the preimage of a payment before segregated witness is shown with its recipients', async () => {
  const { transaction, scriptCode } = payment()
  transaction.setInputScript(0, scriptCode)
  const preimage = concatBytes(transaction.toBuffer(), u32(Transaction.SIGHASH_ALL))
  transaction.setInputScript(0, new Uint8Array())
  expect(bytesToHex(twice(preimage))).toBe(bytesToHex(transaction.hashForSignature(0, scriptCode, 1)))
  const { explanation, lines } = await explainPayload(preimage, 'SHA256')
  expect(codesIn(explanation)).toEqual(['goesTo', 'isTransaction'])
  expect(lines[0]).toMatch(/^WARNING: bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 gets 0\.00099 BTC/)
  const readsAs = memberOf(valuesAt(explanation, 'payloads', 'payload')[0], 'readsAs')
  expect(plain(memberOf(memberOf(readsAs, 'output'), 'amount'))).toBe(99_000n)
  expect(plain(memberOf(memberOf(readsAs, 'output'), 'to'))).toBe('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
})

test.each([
  [Transaction.SIGHASH_NONE, 'no output'],
  [Transaction.SIGHASH_SINGLE, 'one output alone'],
  [Transaction.SIGHASH_NONE | Transaction.SIGHASH_ANYONECANPAY, 'no output'],
  [Transaction.SIGHASH_SINGLE | Transaction.SIGHASH_ANYONECANPAY, 'one output alone'],
  [Transaction.SIGHASH_ALL | Transaction.SIGHASH_ANYONECANPAY, undefined],
  // Nodes take any other type as ALL.
  [0x04, undefined],
])('the type of hash %i of a preimage says which outputs a signature fixes: %s', async (type, fixed) => {
  const { preimage } = payment()
  const { explanation, lines } = await explainPayload(concatBytes(preimage.slice(0, -4), u32(type)), 'SHA256')
  const open = `warning: [the signature fixes ${fixed}: whoever has it may change where the money goes]`
  expect(lines.includes(open)).toBe(fixed !== undefined)
  expect(codesIn(explanation)).toEqual([...(fixed === undefined ? [] : ['outputsOpen']), 'goesTo', 'isTransaction'])
  expect(lines.includes('others may add: inputs')).toBe(type >= 0x80)
})

const ton = beginCell().storeUint(7, 32).storeStringTail('transfer').endCell()
const suiTransaction = messageWithIntent('TransactionData', new Uint8Array(120).fill(3))

test.each([
  ['the digest of a transaction of Sui', blake2b(suiTransaction, { dkLen: 32 }), 'NOT_APPLICABLE', 'mayBeHash'],
  ['the same under SHA-256', blake2b(suiTransaction, { dkLen: 32 }), 'SHA256', 'mayBeHash'],
  ['a transaction of Sui', suiTransaction, 'NOT_APPLICABLE', 'unknownMeaning'],
  ['the hash of a cell of TON', ton.hash(), 'NOT_APPLICABLE', 'mayBeHash'],
  ['a cell of TON', ton.toBoc(), 'NOT_APPLICABLE', 'unknownMeaning'],
  ['32 bytes under Keccak', new Uint8Array(32).fill(0xc3), 'KECCAK256', 'mayBeHash'],
  [
    'a message of EIP-191 with a hash',
    getBytes(toPrefixedMessage({ raw: keccak256('0x01') })),
    'KECCAK256',
    'mayBeHash',
  ],
  [
    'a message of EIP-191 with other bytes',
    getBytes(toPrefixedMessage({ raw: '0x00ff17' })),
    'KECCAK256',
    'unknownMeaning',
  ],
  ['bytes of no form', Uint8Array.of(1, 2, 3), 'KECCAK256', 'unknownMeaning'],
  ['no bytes', new Uint8Array(), 'KECCAK256', 'unknownMeaning'],
  ['a text of characters that are none', '\u{10fffd}\u{e000}', 'KECCAK256', 'unknownMeaning'],
  ['a hash that reads as a text', 'kQ8#fz!0aP_xV2mT9wL4rB7nY5cJ1hG3', 'SHA256', 'mayBeHash'],
  ['a hash that reads as a text, on Ed25519', 'kQ8#fz!0aP_xV2mT9wL4rB7nY5cJ1hG3', 'NOT_APPLICABLE', 'mayBeHash'],
  ['a text that is signed as a hash', 'a text of thirty-two characters.', 'NO_OP', 'onlyHash'],
  ['a text that is too long', 'x '.repeat(5_001), 'KECCAK256', 'cutText'],
] as const)('%s has its warning in the title', async (_, payload, hash, code) => {
  const { explanation, lines } = await explainPayload(payload, hash)
  expect(codesIn(explanation)).toEqual([code])
  expect(lines[0]).toMatch(/^WARNING: /)
  expect(valuesAt(explanation, 'warnings', 'warning')).toMatchObject([{ kind: 'note', code }])
  expect(memberOf(valuesAt(explanation, 'payloads', 'payload')[0], 'warning')).toMatchObject({ kind: 'note', code })
})

test('transactions of chains that are not read here are named by their prefix', async () => {
  const xrp = hexToBytes(
    encodeForSigning({
      ...{ TransactionType: 'Payment', Account: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', Amount: '1' },
      ...{ Destination: 'rrrrrrrrrrrrrrrrrrrrBZbvji', Fee: '10', Sequence: 1 },
      SigningPubKey: `ED${'02'.repeat(32)}`,
    }),
  )
  const cosmos = serializeSignDoc(makeSignDoc([], { amount: [], gas: '1' }, 'cosmoshub-4', undefined, 1, 2))
  const binanceChain =
    '{"account_number":"1","chain_id":"b","data":null,"memo":"","msgs":[],"sequence":"2","source":"0"}'
  const envelope = new stellar.TransactionBuilder(new stellar.Account(stellar.Keypair.random().publicKey(), '1'), {
    ...{ fee: '100', networkPassphrase: stellar.Networks.PUBLIC },
  })
  const ofStellar = envelope
    .addOperation(stellar.Operation.bumpSequence({ bumpTo: '9' }))
    .setTimeout(0)
    .build()
  const tag = sha256(utf8ToBytes('TapSighash'))
  for (const [bytes, hash, chain] of [
    [xrp, 'NOT_APPLICABLE', 'XRP Ledger'],
    [cosmos, 'SHA256', 'Cosmos'],
    [Buffer.from(binanceChain), 'SHA256', 'Cosmos'],
    [ofStellar.signatureBase(), 'SHA256', 'Stellar'],
    [concatBytes(tag, tag, new Uint8Array(175)), 'SHA256', 'Bitcoin'],
  ] as const) {
    const { explanation } = await explainPayload(new Uint8Array(bytes), hash)
    expect(explanation.title.warnings).toEqual([{ kind: 'note', code: 'isTransaction', detail: chain }])
  }
  const { explanation } = await explainPayload(new Uint8Array(ofStellar.hash()), 'NOT_APPLICABLE')
  expect(codesIn(explanation)).toEqual(['mayBeHash'])
})

const multiversx = {
  ...{ nonce: 7, value: '1000000000000000000', receiver: `erd1${'q'.repeat(58)}`, sender: `erd1${'p'.repeat(58)}` },
  ...{ gasPrice: 1_000_000_000, gasLimit: 50_000, chainID: '1', version: 2 },
}

test('a readable text that is a transaction of MultiversX, Cosmos or ICON is named, also as a personal message', async () => {
  const cosmos = '{"account_number":"1","chain_id":"injective-1","fee":{},"memo":"","msgs":[],"sequence":"2"}'
  for (const [text, hash, chain] of [
    [JSON.stringify(multiversx), 'NOT_APPLICABLE', 'MultiversX'],
    [JSON.stringify({ ...multiversx, options: 1 }), 'KECCAK256', 'MultiversX'],
    [toPrefixedMessage(cosmos), 'KECCAK256', 'Cosmos'],
    ['icx_sendTransaction.fee.0x1.from.hx00.to.hx01.value.0x5', 'SHA256', 'ICON'],
  ] as const) {
    const payload = text.startsWith('0x') ? hexToBytes(text.slice(2)) : text
    const { explanation } = await explainPayload(payload, hash)
    expect(explanation.title.warnings).toEqual([{ kind: 'note', code: 'isTransaction', detail: chain }])
  }
})

test('transactions of EOS, Algorand, Neo, Flow and the Internet Computer are named by their prefix', async () => {
  const eos = hexToBytes('aca376f206b8fc25a6ed44dbdc66547c36c6c33e3a119ffbeaef943642f0e906')
  for (const [bytes, hash, chain] of [
    [concatBytes(eos, new Uint8Array(60)), 'SHA256', 'EOS'],
    [concatBytes(utf8ToBytes('TX'), Uint8Array.of(0x88), utf8ToBytes('amt')), 'NOT_APPLICABLE', 'Algorand'],
    // Bytecode of version 10 that is a readable text: `txn`, `balance`.
    [utf8ToBytes('Program\n1 `'), 'NOT_APPLICABLE', 'Algorand'],
    [utf8ToBytes('NEO3a hash that reads as a text, yes'), 'SHA256', 'Neo'],
    [concatBytes(u32(894_710_606), new Uint8Array(32).fill(0xc3)), 'SHA256', 'Neo'],
    [utf8ToBytes(`\nic-request${'a hash that reads as a text, yes'}`), 'NOT_APPLICABLE', 'Internet Computer'],
    [concatBytes(utf8ToBytes('FLOW-V0.0-transaction'), new Uint8Array(11), Uint8Array.of(0xc0)), 'SHA256', 'Flow'],
  ] as const) {
    const { explanation } = await explainPayload(bytes, hash)
    expect(explanation.title.warnings).toEqual([{ kind: 'note', code: 'isTransaction', detail: chain }])
  }
})

test('a hash that was searched until it begins as a transaction of another chain is still a hash', async () => {
  const searched = concatBytes(utf8ToBytes('TX'), Uint8Array.of(0x88), new Uint8Array(29).fill(0xc3))
  for (const [hash, code] of [
    ['NO_OP', 'onlyHash'],
    ['SHA256', 'mayBeHash'],
    ['NOT_APPLICABLE', 'mayBeHash'],
  ] as const) {
    const { explanation } = await explainPayload(searched, hash)
    expect(codesIn(explanation)).toEqual(['isTransaction', code])
  }
})

test('any other JSON that names what transactions have may be one', async () => {
  const { nonce: _, ...others } = multiversx
  for (const text of [
    JSON.stringify(others),
    ' [ {"tx" : {}} ]',
    '{"actions":[{"account":"eosio.token","name":"transfer"}]}',
    '{"payAmount" : "5"}',
    '{"receiver_id":"bob.near","method":"ft_transfer"}',
    // Names as a parser reads them, wherever the JSON stands.
    '{"\\u0074o":"bob","n":1}',
    '{"pay-amount":1}',
    '{"send to":"bob"}',
    '{"dst":"bob","amt":"100"}',
    '{"qty":5}',
    '{"withdraw":{"address":"bob"}}',
    '{"calls":[{"contract":"bob","payload":"y"}]}',
    'Withdraw\n{"to":"bob"}',
    'to: Bob {"to":1}',
    'Log in "now" to [{"to":1}]',
    '{"message":"{\\"to\\":1}"}',
  ]) {
    for (const payload of [text, hexToBytes(toPrefixedMessage(text).slice(2))]) {
      const { explanation, lines } = await explainPayload(payload, 'KECCAK256')
      expect(codesIn(explanation)).toEqual(['mayBeTransaction'])
      expect(lines[0]).toMatch(/^WARNING: this text may be a transaction, /)
    }
  }
  for (const text of [
    '{"token":"x","domain":"app.example","challenge":"abc"}',
    '{"address":"0x1","chainId":1,"nonce":"x","statement":"to amount","issuedAt":"2026-01-01"}',
    'Send the amount to Bob',
    'He said "to": nothing else',
  ]) {
    expect(codesIn((await explainPayload(text, 'KECCAK256')).explanation)).toEqual([])
  }
})

test('a text that is a hash in hex, and JSON of an order, have a warning, also as a personal message', async () => {
  for (const [text, code] of [
    [keccak256('0x05'), 'mayBeHash'],
    ['{"toaddress":"bob"}', 'mayBeTransaction'],
    [`Sign in to example.com nonce ${'8f3a'.repeat(16)}`, undefined],
  ] as const) {
    for (const payload of [text, hexToBytes(toPrefixedMessage(text).slice(2))]) {
      const expected = code === undefined ? [] : [code]
      expect(codesIn((await explainPayload(payload, 'KECCAK256')).explanation)).toEqual(expected)
    }
  }
})

test('hashes of typed data are named, also where only a domain is signed', async () => {
  for (const size of [32, 64]) {
    const bytes = concatBytes(Uint8Array.of(0x19, 0x01), new Uint8Array(size).fill(0x11))
    expect(codesIn((await explainPayload(bytes, 'KECCAK256')).explanation)).toEqual(['isTypedData'])
  }
})

test('bytes that a chain takes from keys of another curve only mean nothing there', async () => {
  const { privateKeys } = await done('create_private_keys', {
    privateKeys: [newPrivateKey({ privateKeyName: 'P-256', curve: 'CURVE_P256' })],
  })
  const given = { ...payloadOf(hexToBytes(transaction.slice(2)), 'KECCAK256'), signWith: privateKeys[0].privateKeyId }
  const { explanation } = await explain('sign_raw_payload', given)
  expect(codesIn(explanation)).toEqual(['unknownMeaning'])
})

test('a transaction of Aptos is named by its prefix', async () => {
  const sender = Account.generate().accountAddress
  const call = EntryFunction.build('0x1::aptos_account', 'transfer', [], [AccountAddress.ONE])
  const rawTransaction = new RawTransaction(
    ...([sender, 1n, new TransactionPayloadEntryFunction(call), 1n, 1n, 1n, new ChainId(1)] as const),
  )
  const message = generateSigningMessageForTransaction(new SimpleTransaction(rawTransaction))
  const { explanation } = await explainPayload(message, 'NOT_APPLICABLE')
  expect(explanation.title.warnings).toEqual([{ kind: 'note', code: 'isTransaction', detail: 'Aptos' }])
})

test('a text that is shown whole has no warning, also as a message of EIP-191', async () => {
  for (const text of ['Log in to Example', 'ünïcode 株式会社 👩‍🚀\nsecond line', 'x '.repeat(1_800)]) {
    for (const hash of ['KECCAK256', 'SHA256', 'NOT_APPLICABLE'] as const) {
      expect((await explainPayload(text, hash)).explanation.title).toEqual({ code: 'signPayload', values: [] })
    }
  }
  const message = getBytes(toPrefixedMessage('Log in to Example'))
  expect(keccak256(message)).toBe(hashMessage('Log in to Example'))
  const ofTron = utf8ToBytes('\x19TRON Signed Message:\n17Log in to Example')
  expect(keccak256(ofTron)).toBe(utils.message.hashMessage('Log in to Example'))
  const onTron = (await explainPayload(ofTron, 'KECCAK256')).explanation
  expect(onTron.title.warnings).toBeUndefined()
  expect(plain(memberOf(valuesAt(onTron, 'payloads', 'payload')[0], 'tronMessage'))).toBe('Log in to Example')
  const { explanation } = await explainPayload(message, 'KECCAK256')
  expect(explanation.title.warnings).toBeUndefined()
  expect(plain(memberOf(valuesAt(explanation, 'payloads', 'payload')[0], 'ethereumMessage'))).toBe('Log in to Example')
})

test('an off-chain message of Solana is its text, and its header has to fit', async () => {
  const messageOf = (text: string, length = text.length, version = 0) =>
    concatBytes(
      ...[Uint8Array.of(0xff), utf8ToBytes('solana offchain'), Uint8Array.of(version, 0, length & 0xff, length >> 8)],
      utf8ToBytes(text),
    )
  const { explanation } = await explainPayload(messageOf('Log in to Example'), 'NOT_APPLICABLE')
  expect(explanation.title.warnings).toBeUndefined()
  expect(plain(memberOf(valuesAt(explanation, 'payloads', 'payload')[0], 'solanaMessage'))).toBe('Log in to Example')
  for (const [message, code] of [
    [messageOf('{"toaddress":"bob"}'), 'mayBeTransaction'],
    [messageOf('a text of thirty-two characters.'), 'mayBeHash'],
    [messageOf('x '.repeat(300)), undefined],
    [messageOf('Log in', 5), 'unknownMeaning'],
    [messageOf('Log in', 6, 1), 'unknownMeaning'],
  ] as const) {
    const warned = codesIn((await explainPayload(message, 'NOT_APPLICABLE')).explanation)
    expect(warned).toEqual(code === undefined ? [] : [code])
  }
})

test('a message whose text has 32 bytes may be a hash that a Safe takes', async () => {
  for (const prefix of ['\x19Ethereum Signed Message:\n32', '\x19TRON Signed Message:\n32']) {
    const message = utf8ToBytes(`${prefix}a text of thirty-two characters.`)
    expect(codesIn((await explainPayload(message, 'KECCAK256')).explanation)).toEqual(['mayBeHash'])
  }
  const longer = getBytes(toPrefixedMessage('a text of thirty-three characters'))
  expect((await explainPayload(longer, 'KECCAK256')).explanation.title.warnings).toBeUndefined()
})

test('a payload has no warning only if it is a text that is shown to its last byte', async () => {
  const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.string({ unit: 'binary' }).map(utf8ToBytes))
  await fc.assert(
    fc.asyncProperty(anyBytes, async (bytes) => {
      const { explanation } = await explainPayload(bytes, 'KECCAK256')
      if (explanation.title.warnings !== undefined) return
      const text = memberOf(valuesAt(explanation, 'payloads', 'payload')[0], 'text')
      expect(text?.kind === 'text' ? utf8ToBytes(text.text) : undefined).toEqual(bytes)
    }),
    { numRuns: 60 },
  )
})

const texts = Array.from({ length: 100 }, (_, index) => `Order ${index + 1}`)
const transaction = serializeTransaction({
  ...{ type: 'eip1559', chainId: 1, nonce: 1, gas: 21_000n, maxFeePerGas: 1n, value: 5n },
  to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
})

function batchOf(payloads: readonly string[], encoding = 'PAYLOAD_ENCODING_HEXADECIMAL') {
  return { signWith, payloads, encoding, hashFunction: 'HASH_FUNCTION_KECCAK256' }
}

const inHex = (text: string) => bytesToHex(utf8ToBytes(text))

const numberOf = (value: Value | undefined) => plain(memberOf(value, 'number'))

test('the one transaction of a hundred payloads stands in the title, and before the others', async () => {
  const payloads = texts.map(inHex).with(97, transaction.slice(2))
  const { explanation, lines } = await explain('sign_raw_payloads', batchOf(payloads))
  expect(lines[0]).toBe(
    'WARNING: payload 98 of 100: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 gets 0.000000000000000005 ETH (5 wei), and 1 more. Sign 100 payloads',
  )
  const shown = valuesAt(explanation, 'payloads', 'payload')
  expect(shown.map(numberOf).slice(0, 3)).toEqual([98n, 1n, 2n])
  expect(shown).toHaveLength(100)
  expect(lines.findIndex((line) => line.startsWith('amount: '))).toBeLessThan(40)
})

test('several payloads with one warning are counted, the worst kind first', async () => {
  const hash = 'c3'.repeat(32)
  const payloads = texts.map(inHex).with(9, hash).with(19, hash).with(49, transaction.slice(2))
  const { explanation, lines } = await explain('sign_raw_payloads', batchOf(payloads))
  expect(lines[0]).toMatch(/^WARNING: payload 50 of 100: .*, and 2 more\. Sign 100 payloads$/)
  expect(lines).toContain(
    'warning: [2 of 100 payloads, the first is number 10: these 32 bytes may be the hash of a transaction: nobody can tell what they mean]',
  )
  const numbers = valuesAt(explanation, 'payloads', 'payload').map(numberOf)
  expect(numbers.slice(0, 4)).toEqual([50n, 10n, 20n, 1n])
})

const shop = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const someone = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const call = (fields: object) =>
  hexToBytes(
    serializeTransaction({
      ...{ type: 'eip1559', chainId: 1, nonce: 1, gas: 90_000n, maxFeePerGas: 1n, to: shop, ...fields },
    }).slice(2),
  )
const solanaKey = (byte: number) => new PublicKey(new Uint8Array(32).fill(byte))
const [payer, stranger1, stranger2] = [solanaKey(4), solanaKey(5), solanaKey(6)]
const onSolana = (...instructions: TransactionInstruction[]) =>
  new TransactionMessage({ payerKey: payer, recentBlockhash: solanaKey(9).toBase58(), instructions })
    .compileToV0Message()
    .serialize()
const pay = (toPubkey: PublicKey, lamports: number) => SystemProgram.transfer({ fromPubkey: payer, toPubkey, lamports })
const callSolana = (program: string, keys: readonly PublicKey[], ...data: readonly number[]) =>
  new TransactionInstruction({
    programId: new PublicKey(program),
    keys: keys.map((pubkey) => ({ pubkey, isSigner: pubkey === payer, isWritable: true })),
    data: Buffer.from(data),
  })
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const held = solanaKey(7)
const syncNative = callSolana(tokenProgram, [held], 17)
const closeAccount = callSolana(tokenProgram, [held, stranger1, payer], 9)
const withdrawExcess = callSolana(tokenProgram, [held, stranger1, payer], 38)
const closeTable = callSolana('AddressLookupTab1e1111111111111111111111111', [held, payer, stranger1], 4, 0, 0, 0)
const closeProgram = callSolana('BPFLoaderUpgradeab1e11111111111111111111111', [held, stranger1, payer], 5, 0, 0, 0)
const unknownProgram = callSolana(solanaKey(8).toBase58(), [], 1)

test.each([
  ['a payment', call({ value: 5n }), 'KECCAK256', `${shop} gets 0.000000000000000005 ETH (5 wei)`],
  [
    'a payment with a high fee',
    call({ value: 5n, maxFeePerGas: 10n ** 14n }),
    'KECCAK256',
    `${shop} gets 0.000000000000000005 ETH (5 wei); the fee is up to 9 ETH (9000000000000000000 wei)`,
  ],
  [
    'a transfer of tokens',
    call({ data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [someone, 7n] }) }),
    'KECCAK256',
    `${someone} gets 7 of the smallest unit of the token ${shop}`,
  ],
  [
    'an approval',
    call({ data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [someone, maxUint256] }) }),
    'KECCAK256',
    `${someone} may spend UNLIMITED tokens of ${shop}`,
  ],
  [
    'an operator',
    call({
      data: encodeFunctionData({
        ...{ abi: parseAbi(['function setApprovalForAll(address,bool)']), args: [someone, true] },
      }),
    }),
    'KECCAK256',
    `${someone} may move every token of ${shop}`,
  ],
  ['an unknown call', call({ data: '0xdeadbeef' }), 'KECCAK256', /there is a call of 0xdeadbeef \(4 bytes\) of 0x7099/],
  ['an unknown call with an amount', call({ data: '0xdeadbeef', value: 9n }), 'KECCAK256', `${shop} gets 0.0`],
  ['a payment of Solana', onSolana(pay(stranger1, 7)), 'NOT_APPLICABLE', `${stranger1} gets 0.000000007 SOL`],
  [
    'payments of Solana to two',
    onSolana(pay(stranger1, 7), pay(stranger2, 9)),
    'NOT_APPLICABLE',
    `${stranger2} gets 0.000000009 SOL`,
  ],
  [
    'a payment of Solana beside a program that is not read',
    onSolana(pay(stranger1, 7), new TransactionInstruction({ programId: solanaKey(8), keys: [], data: Buffer.of(1) })),
    'NOT_APPLICABLE',
    `${stranger1} gets 0.000000007 SOL`,
  ],
  [
    'a closed account of Solana beside another call of its program',
    onSolana(syncNative, closeAccount),
    'NOT_APPLICABLE',
    `${stranger1} gets all lamports`,
  ],
  [
    'a closed account of Solana beside a program that is not read',
    onSolana(closeAccount, unknownProgram),
    'NOT_APPLICABLE',
    `${stranger1} gets all lamports`,
  ],
  [
    'lamports beyond the rent beside a program that is not read',
    onSolana(unknownProgram, withdrawExcess),
    'NOT_APPLICABLE',
    `${stranger1} gets all lamports beyond the rent`,
  ],
  [
    'a closed lookup table of Solana beside a program that is not read',
    onSolana(closeTable, unknownProgram),
    'NOT_APPLICABLE',
    `${stranger1} gets all lamports`,
  ],
  [
    'a closed program of Solana beside a program that is not read',
    onSolana(closeProgram, unknownProgram),
    'NOT_APPLICABLE',
    `${stranger1} gets all lamports`,
  ],
  [
    'another owner of an account of Solana',
    onSolana(SystemProgram.assign({ accountPubkey: payer, programId: stranger1 })),
    'NOT_APPLICABLE',
    `control of ${payer} goes to ${stranger1}`,
  ],
] as const)('a payload that reads as %s says in the title who gets what', async (_, bytes, hash, said) => {
  const { explanation, lines } = await explainPayload(bytes, hash)
  if (typeof said === 'string') expect(lines[0]?.startsWith(`WARNING: ${said}`), lines[0]).toBe(true)
  else expect(lines.join('\n')).toMatch(said)
  expect(codesIn(explanation)).toContain('isTransaction')
  const warnings = valuesAt(explanation, 'warnings', 'warning')
  expect(warnings).toEqual(explanation.title.warnings)
})

test('a payload with a payment and one call of a program names both', async () => {
  const programCall = new TransactionInstruction({
    ...{ programId: stranger2, keys: [{ pubkey: payer, isSigner: true, isWritable: true }], data: Buffer.from([1, 2]) },
  })
  const { explanation, lines } = await explainPayload(onSolana(pay(stranger1, 5), programCall), 'NOT_APPLICABLE')
  expect(codesIn(explanation)).toEqual(['goesTo', 'isTransaction', 'unreadProgram', 'unreadBytes'])
  expect(lines.join('\n')).toContain(`a call of the program ${stranger2.toBase58()} is not read here`)
})

test('a stake that is split and stays with its authorities is no gift in a payload', async () => {
  const [stake, part] = [solanaKey(10), solanaKey(11)]
  const split = StakeProgram.split(
    { stakePubkey: stake, authorizedPubkey: payer, splitStakePubkey: part, lamports: 5_000_000_000 },
    0,
  ).instructions.slice(-1)
  const { explanation } = await explainPayload(onSolana(...split), 'NOT_APPLICABLE')
  expect(codesIn(explanation)).not.toContain('goesTo')
})

test('what the key that signs gets by a payload that reads as a transaction costs nothing', async () => {
  const address = computeAddress(`0x${bytesToHex(pubkey)}`)
  const { explanation } = await explainPayload(call({ to: address, value: 5n }), 'KECCAK256')
  expect(codesIn(explanation)).toEqual(['isTransaction', 'toOwn'])
})

test('an authorization names the code that gets control, also where its bytes are signed', async () => {
  const authorization = { address: someone, chainId: 1, nonce: 7 } as const
  const content = toRlp([toHex(1), someone, toHex(7)])
  const bytes = concatBytes(Uint8Array.of(5), hexToBytes(content.slice(2)))
  expect(keccak256(bytes)).toBe(hashAuthorization(authorization))
  const { explanation, lines } = await explainPayload(bytes, 'KECCAK256')
  expect(codesIn(explanation)).toEqual(['changesControl', 'isAuthorization'])
  expect(lines[0]).toMatch(`WARNING: control of the account that signs goes to ${someone}, and 1 more. Sign a payload`)
  const given = batchOf(
    [JSON.stringify(authorization), '{"address":"0x0000000000000000000000000000000000000000","chainId":1,"nonce":8}'],
    'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
  )
  const many = await explain('sign_raw_payloads', given)
  expect(many.lines[0]).toMatch(`WARNING: payload 1 of 2: control of the account that signs goes to ${someone}, and 1`)
})

test('what typed data of a batch lets others do stands in the title', async () => {
  const document = (amount: bigint) =>
    JSON.stringify({
      types: {
        EIP712Domain: [
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        Permit: [
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
        ],
      },
      primaryType: 'Permit',
      domain: { chainId: 1, verifyingContract: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
      message: { spender: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', value: String(amount) },
    })
  const payloads = Array.from({ length: 30 }, (_, index) => document(index === 20 ? maxUint256 : 1n))
  const { explanation, lines } = await explain('sign_raw_payloads', batchOf(payloads, 'PAYLOAD_ENCODING_EIP712'))
  expect(lines[0]).toBe(
    'WARNING: payload 21 of 30: UNLIMITED: the greatest amount that there is, and 1 more. Sign 30 payloads',
  )
  expect(valuesAt(explanation, 'payloads', 'payload').map(numberOf).slice(0, 2)).toEqual([21n, 1n])
  const authorization = JSON.stringify({ address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', chainId: 1, nonce: 7 })
  const given = batchOf([authorization, authorization], 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION')
  expect((await explain('sign_raw_payloads', given)).lines[0]).toMatch(/^WARNING: 2 of 2 payloads, .* control of /)
})
