import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { address, Psbt, payments, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  hashTypedData,
  parseTransaction,
  serializeTransaction,
} from 'viem'
import { expect, test } from 'vitest'
import type { ReadableRequest } from '../../src/contract/explanation/explain_context.ts'
import type { Section, Value } from '../../src/contract/explanation/explanation.ts'
import { payloadContent } from '../../src/contract/explanation/signing/payload_content.ts'
import { transactionContent } from '../../src/contract/explanation/signing/transaction_content.ts'
import { typedDataContent } from '../../src/contract/explanation/signing/typed_data/typed_data_content.ts'
import type { Signer } from '../../src/contract/keys.ts'
import { type TransactionType, transactionKinds } from '../../src/policy/transactions/transaction_kinds.ts'
import { finished } from '../../src/protocol/tools/steps.ts'
import { prepareBitcoinjs } from '../support/bitcoinjs.ts'
import { memberOf, plain } from '../support/explanations.ts'
import { unlessRefused } from '../support/failures.ts'
import { generatedRuns } from '../support/generated_runs.ts'

prepareBitcoinjs()
const secret = new Uint8Array(32).fill(0x46)
const publicKeys = { CURVE_SECP256K1: secp256k1.getPublicKey(secret), CURVE_ED25519: ed25519.getPublicKey(secret) }
const now = { accountsAt: () => new Map(), find: () => undefined, interfacesAt: () => [] } as never

function signerOf(curve: keyof typeof publicKeys): Signer {
  return {
    ...{ kind: 'private_key', recordId: 'key', curve, addressFormat: undefined, scheme: 'default' },
    publicKey: publicKeys[curve],
  }
}

function requestOf(signer: Signer, facts: ReadableRequest['facts']): ReadableRequest {
  const privateKeys = { get: () => ({ privateKeyName: 'key' }) }
  return { facts, interfaces: [], organization: { signer: () => signer, privateKeys } as never }
}

/** Explains a transaction as the vault does. Undefined if it cannot be read. */
function explained(type: TransactionType, bytes: Uint8Array): readonly Section[] | undefined {
  return unlessRefused(() => {
    const signer = signerOf(type === 'TRANSACTION_TYPE_SOLANA' ? 'CURVE_ED25519' : 'CURVE_SECP256K1')
    const kind = transactionKinds[type]
    const { struct: tx } = finished(finished(kind.open(bytes, signer)).struct(new Map()))
    const request = requestOf(signer, { [kind.keyword]: { tx } })
    const parameters = { signWith: 'key', unsignedTransaction: bytesToHex(bytes), type }
    return finished(transactionContent(parameters, { request, now }))?.sections
  })
}

type Claim = { readonly to: unknown; readonly amount: unknown }

/** The recipients with the amounts that an explanation shows. */
function claimsIn(sections: readonly Section[]): readonly Claim[] {
  const shown = sections.flatMap(({ kind, rows }) => (kind === 'transfers' ? rows : []))
  return shown.flatMap((row) =>
    'label' in row && (row.label === 'transfer' || row.label === 'output')
      ? [
          {
            to: plain(memberOf(row.value, 'to') ?? memberOf(row.value, 'script')),
            amount: plain(memberOf(row.value, 'amount')),
          },
        ]
      : [],
  )
}

const byte = fc.nat(255)
/** Bytes of a valid transaction in which some have changed. */
const nearly = (valid: fc.Arbitrary<Uint8Array>) =>
  fc
    .tuple(valid, fc.array(fc.tuple(fc.nat(), byte), { maxLength: 3 }))
    .map(([bytes, changes]) =>
      changes.reduce((before, [at, value]) => before.with(at % before.length, value), Uint8Array.from(bytes)),
    )
const bytesOf = (text: string) => hexToBytes(text.replace(/^0x/, ''))
const account20 = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytesToHex)

const ethereum = fc
  .record({
    to: account20,
    value: fc.bigInt(0n, 2n ** 90n),
    amount: fc.bigInt(0n, 2n ** 256n - 1n),
    calls: fc.boolean(),
  })
  .map(({ to, value, amount, calls }) =>
    bytesOf(
      serializeTransaction({
        ...{ type: 'eip1559', chainId: 1, nonce: 1, gas: 1n, maxFeePerGas: 1n, to: `0x${to}`, value },
        ...(calls
          ? { data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [`0x${to}`, amount] }) }
          : {}),
      }),
    ),
  )

function seenByViem(bytes: Uint8Array): readonly Claim[] {
  const { to, value, data = '0x' } = parseTransaction(`0x${bytesToHex(bytes)}` as never)
  const own = { to: to ? getAddress(to) : 'newContract', amount: value ?? 0n }
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    const [to, amount] = functionName === 'transferFrom' ? [args[1], args[2]] : [args?.[0], args?.[1]]
    return [own, { to, amount }]
  } catch {
    return [own]
  }
}

const key32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes))
const payer = new PublicKey(publicKeys.CURVE_ED25519)
const solana = fc
  .array(fc.tuple(key32, fc.bigInt(0n, 2n ** 64n - 1n)), { minLength: 1, maxLength: 4 })
  .map((payments) =>
    new VersionedTransaction(
      new TransactionMessage({
        payerKey: payer,
        recentBlockhash: payer.toBase58(),
        instructions: payments.map(([toPubkey, lamports]) =>
          SystemProgram.transfer({ fromPubkey: payer, toPubkey, lamports }),
        ),
      }).compileToV0Message(),
    ).serialize(),
  )

/** Every account and integer of 64 bits that instructions have, wherever it stands. */
function seenByWeb3(bytes: Uint8Array): readonly Claim[] {
  const { message } = VersionedTransaction.deserialize(bytes)
  return message.compiledInstructions.flatMap(({ accountKeyIndexes, data }) => {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    const amounts = [...data.keys()].flatMap((at) => (at + 8 <= data.length ? [view.getBigUint64(at, true)] : []))
    return accountKeyIndexes.flatMap((index) => {
      const to = message.staticAccountKeys[index]?.toBase58()
      return amounts.map((amount) => ({ to, amount }))
    })
  })
}

const tron = fc.record({ to: account20, amount: fc.maxSafeNat() }).map(({ to, amount }) => {
  const value = { owner_address: `41${'ab'.repeat(20)}`, to_address: `41${to}`, amount }
  const raw_data = {
    contract: [{ type: 'TransferContract', parameter: { value, type_url: '' } }],
    ...{ ref_block_bytes: '0102', ref_block_hash: '0102030405060708', expiration: 2, timestamp: 1 },
  }
  const json = { visible: false, txID: '', raw_data_hex: '', raw_data }
  return bytesOf(utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb(json as never)))
})

function seenByTronweb(bytes: Uint8Array): readonly Claim[] {
  const { contract } = utils.deserializeTx.deserializeTransaction('TransferContract', bytesToHex(bytes))
  const { to_address: to, amount } = contract[0].parameter.value
  return [{ to: TronWeb.address.fromHex(to), amount: BigInt(amount) }]
}

/** tronweb reads amounts as numbers of JavaScript, which are rounded above 2^53. */
const asTronwebRounds = ({ to, amount }: Claim): Claim => ({ to, amount: BigInt(Number(amount)) })

const bitcoin = fc.array(fc.tuple(account20, fc.bigInt(1n, 1_000n)), { minLength: 1, maxLength: 4 }).map((outputs) => {
  const { output: script = new Uint8Array() } = payments.p2wpkh({ pubkey: publicKeys.CURVE_SECP256K1 })
  const psbt = new Psbt()
  psbt.addInput({ hash: new Uint8Array(32).fill(7), index: 0, witnessUtxo: { script, value: 10_000n } })
  for (const [hash, value] of outputs) psbt.addOutput({ script: Uint8Array.of(0, 20, ...hexToBytes(hash)), value })
  return psbt.toBuffer()
})

/** Outputs by their script, and by their address if they have one. bitcoinjs-lib has addresses for future scripts. */
function seenByBitcoinjs(bytes: Uint8Array): readonly Claim[] {
  const transaction = Transaction.fromBuffer(Psbt.fromBuffer(bytes).data.globalMap.unsignedTx.toBuffer())
  return transaction.outs.flatMap(({ script, value }) =>
    [`0x${bytesToHex(script)}`, ...addressesOf(script)].map((to) => ({ to, amount: value })),
  )
}

function addressesOf(script: Uint8Array): readonly string[] {
  try {
    return [address.fromOutputScript(script)]
  } catch {
    return []
  }
}

for (const [type, valid, seen] of [
  ['TRANSACTION_TYPE_ETHEREUM', ethereum, seenByViem],
  ['TRANSACTION_TYPE_SOLANA', solana, seenByWeb3],
  ['TRANSACTION_TYPE_TRON', tron, seenByTronweb],
  ['TRANSACTION_TYPE_BITCOIN', bitcoin, seenByBitcoinjs],
] as const) {
  test(`${type}: no recipient or amount is shown that another library does not read`, () => {
    let shown = 0
    fc.assert(
      fc.property(fc.oneof(valid, nearly(valid), fc.uint8Array({ maxLength: 300 })), (bytes) => {
        const claims = claimsIn(explained(type, bytes) ?? [])
        if (claims.length === 0) return
        shown += 1
        const read = seen === seenByTronweb ? claims.map(asTronwebRounds) : claims
        expect(seen(bytes)).toEqual(expect.arrayContaining([...read]))
      }),
      { numRuns: 3 * generatedRuns },
    )
    expect(shown).toBeGreaterThan(generatedRuns / 4)
  })
}

const [ofEthereum, ofTron, ofSolana] = [
  'HASH_FUNCTION_KECCAK256',
  'HASH_FUNCTION_SHA256',
  'HASH_FUNCTION_NOT_APPLICABLE',
] as const
/** Solana signs the message of a transaction, which follows the one slot of a signature. */
const message = solana.map((bytes) => bytes.subarray(65))
const signed = fc.oneof(
  ethereum.map((bytes) => ({ bytes, hashFunction: ofEthereum })),
  tron.map((bytes) => ({ bytes, hashFunction: ofTron })),
  message.map((bytes) => ({ bytes, hashFunction: ofSolana })),
)
const unlike = fc.record({
  bytes: fc.oneof(nearly(fc.oneof(ethereum, tron, message)), fc.uint8Array({ maxLength: 300 })),
  hashFunction: fc.constantFrom(ofEthereum, ofTron, ofSolana),
})

type Payload = {
  readonly bytes: Uint8Array
  readonly hashFunction: typeof ofEthereum | typeof ofTron | typeof ofSolana
}

/** The explanation of one payload that is signed as it is. */
function payloadValue({ bytes, hashFunction }: Payload): Value | undefined {
  const signer = signerOf(hashFunction === ofSolana ? 'CURVE_ED25519' : 'CURVE_SECP256K1')
  const encoding = 'PAYLOAD_ENCODING_HEXADECIMAL'
  const payloads = [{ payload: bytesToHex(bytes), fieldPath: 'parameters.payload' }]
  const raw = { signWith: 'key', encoding, hashFunction, payloads } as const
  const content = finished(payloadContent(raw, { request: requestOf(signer, {}), now }))
  return content?.sections[0]?.rows.find((row) => 'label' in row && row.label === 'payload')?.value
}

test('every transaction that is signed as bytes has its warning, and no other bytes throw', () => {
  fc.assert(
    fc.property(signed, unlike, (transaction, other) => {
      const shown = payloadValue(transaction)
      const rows = shown?.kind === 'tree' ? shown.rows : []
      expect(rows.map(({ value }) => value)).toContainEqual(
        expect.objectContaining({ kind: 'note', code: 'isTransaction' }),
      )
      expect(payloadValue(other)?.kind).toBe('tree')
    }),
    { numRuns: 3 * generatedRuns },
  )
})

const json = fc.json({ maxDepth: 4 })
const member = fc.constantFrom(
  'string',
  'uint256',
  'address',
  'bytes',
  'bool',
  'int8',
  'Other',
  'Other[]',
  'uint8[2]',
  'x',
)
const typed = fc
  .record({
    types: fc.dictionary(
      fc.constantFrom('Main', 'Other', 'EIP712Domain'),
      fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'name', '__proto__'), type: member }), { maxLength: 4 }),
    ),
    primaryType: fc.constantFrom('Main', 'Other'),
    domain: fc.constantFrom({}, { name: 'd' }, { name: 'd', chainId: 1 }),
    message: fc.dictionary(
      fc.constantFrom('a', 'b', 'name'),
      fc.oneof(
        fc.string(),
        fc.nat(300),
        fc.boolean(),
        fc.constant('0x00'),
        account20.map((one) => `0x${one}`),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    ),
  })
  .map((document) => JSON.stringify(document))

test('any JSON as typed data is refused or shows only values that the document has and viem hashes', () => {
  fc.assert(
    fc.property(fc.oneof(typed, json, fc.string()), (payload) => {
      const content = unlessRefused(() => finished(typedDataContent(payload, 'parameters.payload', now)))
      if (content === undefined) return
      const document = JSON.parse(payload)
      expect(hashTypedData(document)).toMatch(/^0x[0-9a-f]{64}$/)
      const [section] = content.sections
      const message = section?.rows.find((row) => 'label' in row && row.label === 'message')?.value
      const given = new Set(leavesOf(document.message))
      expect(shownLeaves(message).filter((leaf) => !given.has(leaf))).toEqual([])
    }),
    { numRuns: 10 * generatedRuns },
  )
})

/** The values of a document that have no members, each as lower-case text. */
function leavesOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : [String(value).toLowerCase(), ...integerText(value)]
}

function integerText(value: unknown): readonly string[] {
  return typeof value === 'string' && /^(0x[0-9a-f]+|[0-9]+)$/i.test(value) ? [String(BigInt(value))] : []
}

function shownLeaves(value: Value | undefined): readonly string[] {
  if (value?.kind === 'tree') return value.rows.flatMap((row) => shownLeaves(row.value))
  if (value?.kind === 'list') return value.items.flatMap(shownLeaves)
  if (value === undefined || value.kind === 'note') return []
  const shown = plain(value)
  return Array.isArray(shown) ? [] : [String(shown).toLowerCase()]
}
