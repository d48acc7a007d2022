import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { Psbt, Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { prepareBitcoinjs } from '../../../../test/support/bitcoinjs.ts'
import { failureOf } from '../../../../test/support/failures.ts'
import type { AddressFormat } from '../../../protocol/chains/address_formats.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import type { ByteReader } from '../byte_reader.ts'
import type { OpenTransaction } from '../transaction_kind.ts'
import { transactionKinds } from '../transaction_kinds.ts'
import { ownScript, type ScriptKind } from './bitcoin_scripts.ts'
import { feeOf, psbtInputsMax, psbtOutputsMax, readPsbt } from './psbt.ts'
import {
  type PsbtEntry,
  type PsbtMap,
  psbtEntriesMax,
  psbtReader,
  readMap,
  serializePsbt,
  withEntry,
} from './psbt_maps.ts'

prepareBitcoinjs()

const parsePsbt = (bytes: Uint8Array) => finished(readPsbt(bytes))
const publicKey = secp256k1.getPublicKey(new Uint8Array(32).fill(0x46))
const stranger = secp256k1.getPublicKey(new Uint8Array(32).fill(0x47))
const signer = { curve: 'CURVE_SECP256K1', addressFormat: undefined, scheme: 'default', publicKey } as const
const kind = transactionKinds.TRANSACTION_TYPE_BITCOIN
const structOf = (transaction?: OpenTransaction) => transaction && finished(transaction.struct(new Map())).struct
const open = (bytes: Uint8Array, addressFormat?: AddressFormat) =>
  kind && finished(kind.open(bytes, { ...signer, addressFormat }))

function previousOf(script: Uint8Array, amount = 1_000n): Transaction {
  const previous = new Transaction()
  previous.addInput(new Uint8Array(32).fill(7), 0)
  previous.addOutput(script, amount)
  return previous
}

const scriptOf = (scriptKind: ScriptKind, key = publicKey) => ownScript(scriptKind, key).script

/** One input of this kind that pays 900 of its 1,000 satoshi to a stranger. */
function psbtOf(scriptKind: ScriptKind): Psbt {
  const { script, redeemScript, witnessScript } = ownScript(scriptKind, publicKey)
  const previous = previousOf(script)
  const psbt = new Psbt()
  psbt.addInput({
    hash: previous.getId(),
    index: 0,
    ...(scriptKind === 'P2PKH' ? { nonWitnessUtxo: previous.toBuffer() } : { witnessUtxo: { script, value: 1_000n } }),
    ...(redeemScript && { redeemScript }),
    ...(witnessScript && { witnessScript }),
  })
  return psbt.addOutput({ script: scriptOf('P2WPKH', stranger), value: 900n })
}

const mapIn = (reader: ByteReader) => finished(readMap(reader, { entries: psbtEntriesMax }))

type Maps = { readonly global: PsbtMap; readonly input: PsbtMap; readonly output: PsbtMap }

/** The same PSBT of one input and one output, with changed maps. */
function changed(psbt: Psbt, change: (maps: Maps) => Partial<Maps>): Uint8Array {
  const reader = psbtReader(psbt.toBuffer())
  const maps = { global: mapIn(reader), input: mapIn(reader), output: mapIn(reader) }
  const { global, input, output } = { ...maps, ...change(maps) }
  return serializePsbt([global, input, output])
}

const entry = (type: number, value: Uint8Array): PsbtEntry => ({ key: Uint8Array.of(type), value })
const withInput = (psbt: Psbt, type: number, value: Uint8Array) =>
  changed(psbt, ({ input }) => ({ input: withEntry(input, entry(type, value)) }))
const withoutInput = (psbt: Psbt, type: number) =>
  changed(psbt, ({ input }) => ({ input: input.filter(({ key }) => key[0] !== type) }))
const withUnsigned = (psbt: Psbt, change: (transaction: Transaction) => void) =>
  changed(psbt, ({ global }) => {
    const transaction = Transaction.fromBuffer(global[0]?.value ?? new Uint8Array())
    change(transaction)
    return { global: withEntry(global, entry(0, Uint8Array.from(transaction.toBuffer()))) }
  })

const otherPrevious = Uint8Array.from(previousOf(scriptOf('P2WPKH'), 2_000n).toBuffer())
const samePrevious = (scriptKind: ScriptKind, amount?: bigint) =>
  Uint8Array.from(previousOf(scriptOf(scriptKind), amount).toBuffer())
const u32 = (value: number) => Uint8Array.of(value, 0, 0, 0)
const wpkh = psbtOf('P2WPKH')
const unknownEntries = (count: number): PsbtEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    key: Uint8Array.of(0xfc, index >> 8, index & 0xff),
    value: new Uint8Array(),
  }))

describe('refuses', () => {
  for (const [what, bytes, reason] of [
    ['nothing', new Uint8Array(), 'ends early, in the magic bytes'],
    ['an Ethereum transaction', hexToBytes('dc03018252089400'), 'must begin with 70736274ff'],
    ['a Bitcoin transaction', Uint8Array.from(previousOf(scriptOf('P2WPKH')).toBuffer()), 'must begin with'],
    ['a byte too many', concatBytes(wpkh.toBuffer(), Uint8Array.of(0)), 'has 1 bytes too many'],
    ['no unsigned transaction', changed(wpkh, () => ({ global: [] })), 'has no unsigned transaction'],
    [
      'a key twice in a map',
      changed(wpkh, ({ input }) => ({ input: [...input, ...input] })),
      'has a key twice in one map',
    ],
    [
      'an unsigned transaction with a longer key',
      changed(wpkh, ({ global }) => ({ global: [...global, { key: Uint8Array.of(0, 1), value: new Uint8Array() }] })),
      'must have no more key than its type',
    ],
    [
      'an unsigned transaction that is signed',
      withUnsigned(wpkh, (transaction) => transaction.setInputScript(0, Uint8Array.of(1))),
      'is already signed',
    ],
    [
      'an unsigned transaction that ends early',
      changed(wpkh, ({ global }) => ({ global: [entry(0, (global[0]?.value ?? new Uint8Array()).subarray(1))] })),
      'the unsigned transaction is too large',
    ],
    ['nothing in and nothing out', new Psbt().toBuffer(), 'must have an input and an output'],
    ['no inputs', withUnsigned(wpkh, (transaction) => void transaction.ins.pop()), 'must have an input and an output'],
    [
      'no outputs',
      withUnsigned(wpkh, (transaction) => void transaction.outs.pop()),
      'must have an input and an output',
    ],
    [
      'an output spent twice',
      withUnsigned(wpkh, (transaction) => void transaction.ins.push(...transaction.ins)),
      'spends an output twice',
    ],
    [
      'more outputs than the limit',
      withUnsigned(wpkh, (transaction) => {
        transaction.outs = Array(psbtOutputsMax + 1).fill({ script: Uint8Array.of(), value: 0n })
      }),
      'has more than 2500 outputs',
    ],
    [
      'more entries than the limit',
      changed(wpkh, ({ input }) => ({ input: [...input, ...unknownEntries(psbtEntriesMax)] })),
      'has more than 20000 entries',
    ],
    [
      'as many outputs as may be, worth nothing, with maps for one',
      withUnsigned(wpkh, (transaction) => {
        transaction.outs = Array(psbtOutputsMax).fill({ script: Uint8Array.of(), value: 0n })
      }),
      'ends early',
    ],
    [
      'amounts above all there will be, together',
      withUnsigned(wpkh, (transaction) => {
        transaction.outs = [2_100_000_000_000_000n, 1n].map((value) => ({ script: Uint8Array.of(), value }))
      }),
      'above 21 million',
    ],
    [
      'all there will be, from less',
      withUnsigned(wpkh, (transaction) => {
        transaction.outs = [{ script: Uint8Array.of(), value: 2_100_000_000_000_000n }]
      }),
      'worth more than its inputs',
    ],
    [
      'an amount above all there will be',
      withUnsigned(wpkh, (transaction) => {
        transaction.outs[0] = { script: scriptOf('P2WPKH'), value: 2_100_000_000_000_001n }
      }),
      'above 21 million',
    ],
    [
      'outputs above the inputs',
      withUnsigned(wpkh, (transaction) => {
        transaction.outs[0] = { script: scriptOf('P2WPKH'), value: 1_001n }
      }),
      'worth more than its inputs',
    ],
    ['an input of unknown amount', withoutInput(wpkh, 0x01), 'input 0 must have a witness UTXO or a non-witness UTXO'],
    ['a witness UTXO that ends early', withInput(wpkh, 0x01, new Uint8Array(8)), 'ends early, in the witness UTXO'],
    ['a witness UTXO with a tail', withInput(wpkh, 0x01, new Uint8Array(10)), 'bytes too many'],
    [
      'P2PKH without its previous transaction',
      changed(psbtOf('P2PKH'), () => ({
        input: [entry(0x01, concatBytes(hexToBytes('e80300000000000019'), scriptOf('P2PKH')))],
      })),
      'its signature does not commit to its amount',
    ],
    ['a previous transaction that it is not', withInput(wpkh, 0x00, otherPrevious), 'is another transaction'],
    ['a previous transaction that ends early', withInput(wpkh, 0x00, otherPrevious.subarray(1)), 'is too large'],
    ['a previous transaction without its end', withInput(wpkh, 0x00, otherPrevious.subarray(0, -1)), 'ends early'],
    [
      'a previous transaction with a tail',
      withInput(wpkh, 0x00, concatBytes(otherPrevious, u32(0))),
      '4 bytes too many',
    ],
    [
      'a previous transaction that has no such output',
      withUnsigned(psbtOf('P2PKH'), (transaction) => {
        Object.assign(transaction.ins[0] ?? {}, { index: 1 })
      }),
      'has no such output',
    ],
    [
      'two amounts for one input',
      changed(wpkh, ({ input }) => ({
        input: [
          entry(0x00, samePrevious('P2WPKH')),
          ...input.map(({ key, value }) => ({ key, value: value.with(0, 1) })),
        ],
      })),
      'is not what its previous transaction says',
    ],
  ] as const) {
    test(what, () => {
      const failure = failureOf(() => parsePsbt(bytes))
      expect(failure.code).toBe('TRANSACTION_INVALID')
      expect(failure.fieldPath).toBe('parameters.unsignedTransaction')
      expect(failure.message).toContain(reason)
    })
  }

  test('version 2, by its name; version 0 may be explicit', () => {
    const withVersion = (version: Uint8Array) =>
      changed(wpkh, ({ global }) => ({ global: [...global, entry(0xfb, version)] }))
    expect(failureOf(() => parsePsbt(withVersion(u32(2)))).code).toBe('TRANSACTION_TYPE_UNSUPPORTED')
    expect(failureOf(() => parsePsbt(withVersion(Uint8Array.of(0)))).message).toContain('its version must be 4 bytes')
    expect(parsePsbt(withVersion(u32(0))).transaction.version).toBe(2)
  })

  for (const [what, bytes, reason] of [
    ['a sighash type that leaves outputs open', withInput(wpkh, 0x03, u32(3)), 'of input 0 must be ALL'],
    ['a sighash type that leaves inputs open', withInput(wpkh, 0x03, u32(0x81)), 'must be ALL'],
    ['DEFAULT outside of Taproot', withInput(wpkh, 0x03, u32(0)), 'must be ALL'],
    ['a sighash type of one byte', withInput(wpkh, 0x03, Uint8Array.of(1)), 'must be ALL'],
    ['a sighash type with more behind it', withInput(wpkh, 0x03, Uint8Array.of(1, 0, 0, 1)), 'must be ALL'],
    ['NONE for Taproot', withInput(psbtOf('P2TR'), 0x03, u32(2)), 'must be ALL or DEFAULT'],
    ['P2SH without its redeem script', withoutInput(psbtOf('P2SH'), 0x04), 'the redeem script of input 0 is missing'],
    [
      'P2WSH without its witness script',
      withoutInput(psbtOf('P2WSH'), 0x05),
      'the witness script of input 0 is missing',
    ],
    ['another witness script', withInput(psbtOf('P2WSH'), 0x05, Uint8Array.of(0x51)), 'is not the one behind'],
    ['a redeem script that nothing needs', withInput(wpkh, 0x04, Uint8Array.of(0x51)), 'does not belong to what it'],
    ['scripts of Taproot', withInput(psbtOf('P2TR'), 0x18, new Uint8Array(32)), 'has scripts of Taproot'],
    ['another internal key', withInput(psbtOf('P2TR'), 0x17, stranger.subarray(1)), 'the internal key of input 0'],
    ['an input that is final', withInput(wpkh, 0x08, Uint8Array.of(0)), 'no input that the key of signWith could sign'],
  ] as const) {
    test(`to sign ${what}`, () => {
      const failure = failureOf(() => open(bytes))
      expect(failure.code).toBe('TRANSACTION_INVALID')
      expect(failure.message).toContain(reason)
    })
  }

  test('to sign for an address to which no input pays', () => {
    const failure = failureOf(() => open(wpkh.toBuffer(), 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH'))
    expect(failure.message).toContain('has no input that the key of signWith could sign')
  })
})

test('a transaction without a fee is read', () => {
  const generous = withUnsigned(wpkh, (transaction) => {
    transaction.outs = [{ script: scriptOf('P2WPKH'), value: 1_000n }]
  })
  expect(feeOf(parsePsbt(generous))).toBe(0n)
})

test('which signers may sign, by the format of the address that names them', () => {
  const may = (addressFormat: AddressFormat | undefined) => kind.maySign({ ...signer, addressFormat })
  for (const format of [undefined, 'ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR'] as const) {
    expect(may(format)).toBe(true)
  }
  for (const format of [
    'ADDRESS_FORMAT_ETHEREUM',
    'ADDRESS_FORMAT_DOGE_MAINNET',
    'ADDRESS_FORMAT_SPARK_MAINNET',
  ] as const) {
    expect(may(format)).toBe(false)
  }
  expect(kind.maySign({ ...signer, curve: 'CURVE_P256' })).toBe(false)
})

describe('bitcoin.tx', () => {
  const tree = new Psbt()
  tree.setVersion(1).setLocktime(500_000_000)
  const previous = previousOf(scriptOf('P2WPKH'))
  tree.addInput({
    hash: previous.getId(),
    index: 0,
    sequence: 5,
    witnessUtxo: { script: scriptOf('P2WPKH'), value: 1_000n },
  })
  tree.addOutput({ script: Uint8Array.of(0x6a), value: 0n })
  tree.addOutput({ address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', value: 1n })
  tree.addOutput({ address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', value: 2n })
  tree.addOutput({ address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', value: 3n })
  tree.addOutput({ address: 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3', value: 4n })
  tree.addOutput({ address: 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', value: 5n })

  test('has inputs, outputs with their addresses, lock time and fee', () => {
    const struct = structOf(open(tree.toBuffer()))
    expect(struct).toMatchObject({
      version: 1n,
      inputs: [{ tx_id: previous.getId(), vout: 0n, sequence: 5n }],
      locktime: { amount: 500_000_000n, type: 'Seconds' },
      fee: 985n,
    })
    expect(struct?.outputs).toEqual(
      [
        ['', ''],
        ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'P2PKH'],
        ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'P2SH'],
        ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'P2WPKH'],
        ['bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3', 'P2WSH'],
        ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'P2TR'],
      ].map(([address, addressType], index) => ({
        value: BigInt(index),
        script_pubkey: Buffer.from(tree.txOutputs[index]?.script ?? []).toString('hex'),
        address,
        address_type: addressType,
      })),
    )
  })

  describe('has the fee', () => {
    /** Inputs of this key, of these kinds; `whole`: those that carry their previous transaction. */
    function feeOfInputs(kinds: readonly ScriptKind[], whole: readonly number[] = []) {
      const psbt = new Psbt()
      for (const [index, scriptKind] of kinds.entries()) {
        const script = scriptOf(scriptKind)
        const previous = previousOf(script, 1_000n + BigInt(index))
        const spent = { witnessUtxo: { script, value: previous.outs[0]?.value ?? 0n } }
        const proof = whole.includes(index) ? { nonWitnessUtxo: previous.toBuffer() } : {}
        psbt.addInput({ hash: previous.getId(), index: 0, ...spent, ...proof })
      }
      psbt.addOutput({ script: scriptOf('P2WPKH'), value: 10n })
      return structOf(open(psbt.toBuffer()))?.fee
    }

    test('if all inputs have their previous transactions', () => {
      expect(feeOfInputs(['P2WPKH', 'P2WPKH'], [0, 1])).toBe(1_991n)
      for (const whole of [[], [0], [1]]) expect(feeOfInputs(['P2WPKH', 'P2WPKH'], whole)).toBeUndefined()
    })

    test('if every input that is signed is Taproot, whose signatures cover all amounts', () => {
      expect(feeOfInputs(['P2TR', 'P2TR'])).toBe(1_991n)
    })

    test('not because one of several that are signed is Taproot', () => {
      expect(feeOfInputs(['P2WPKH', 'P2TR'])).toBeUndefined()
      expect(feeOfInputs(['P2TR', 'P2WPKH'])).toBeUndefined()
      expect(feeOfInputs(['P2WPKH', 'P2TR'], [0])).toBeUndefined()
    })

    test('if all inputs but the one of version 0 have their previous transactions', () => {
      expect(feeOfInputs(['P2WPKH', 'P2TR'], [1])).toBe(1_991n)
    })
  })

  test('false claims of Taproot show no fee: the other signatures hold all the same', () => {
    const key = new Uint8Array(32).fill(0x46)
    const coin = { script: scriptOf('P2WPKH'), value: 100_000_000n }
    const spending = (spent: readonly { readonly script: Uint8Array; readonly value: bigint }[]) => {
      const psbt = new Psbt()
      for (const [index, witnessUtxo] of spent.entries()) {
        psbt.addInput({ hash: new Uint8Array(32).fill(7), index, witnessUtxo })
      }
      return psbt.addOutput({ script: coin.script, value: coin.value - 1_000n })
    }
    const truth = spending([coin, coin])
    for (const value of [0n, 546n]) {
      const claim = { script: scriptOf('P2TR'), value }
      for (const [index, spent] of [
        [coin, claim],
        [claim, coin],
      ].entries()) {
        const request = open(spending(spent).toBuffer())
        const { message = new Uint8Array(), scheme } = request?.messages[index] ?? {}
        expect(scheme).toBe('default')
        const signature = concatBytes(secp256k1.sign(message, key, { prehash: false, format: 'der' }), Uint8Array.of(1))
        if (value === 0n) truth.updateInput(index, { partialSig: [{ pubkey: publicKey, signature }] })
        expect(structOf(request)?.fee).toBeUndefined()
      }
    }
    const isValid = (pubkey: Uint8Array, digest: Uint8Array, signature: Uint8Array) =>
      secp256k1.verify(signature, digest, pubkey, { prehash: false })
    expect(truth.validateSignaturesOfAllInputs(isValid)).toBe(true)
    expect(truth.finalizeAllInputs().getFee()).toBe(coin.value + 1_000n)
  })

  test('cannot tell P2SH and P2WPKH of one key apart: one signature spends either', () => {
    const request = open(psbtOf('P2SH').toBuffer(), 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH')
    const truth = withUnsigned(wpkh, (transaction) => {
      Object.assign(transaction.ins[0] ?? {}, { hash: psbtOf('P2SH').txInputs[0]?.hash })
    })
    const [message] = open(truth)?.messages ?? []
    expect(request?.messages.map((one) => one.message)).toEqual([message?.message])
  })

  test('has the same facts whatever network the signing address is of', () => {
    const facts = structOf(open(wpkh.toBuffer()))
    expect(facts?.outputs).toMatchObject([{ address: expect.stringMatching(/^bc1q/) }])
    for (const network of ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST'] as const) {
      expect(structOf(open(wpkh.toBuffer(), `ADDRESS_FORMAT_BITCOIN_${network}_P2WPKH`)), network).toEqual(facts)
    }
    expect(structOf(open(wpkh.toBuffer()))?.locktime).toEqual({ amount: 0n, type: 'Blocks' })
  })
})

test('unknown entries are kept, and an older signature of the same key is replaced', () => {
  const [message] = open(wpkh.toBuffer())?.messages ?? []
  const signature = Buffer.from(
    secp256k1.sign(message?.message ?? new Uint8Array(), new Uint8Array(32).fill(0x46), { prehash: false }),
  ).toString('hex')
  const parts = { r: signature.slice(0, 64), s: signature.slice(64), v: '00' }
  const unknown = { key: Uint8Array.of(0xfc, 1, 2), value: Uint8Array.of(3) }
  const old = { key: concatBytes(Uint8Array.of(0x02), publicKey), value: Uint8Array.of(9) }
  const bytes = changed(wpkh, ({ global, input, output }) => ({
    global: [...global, unknown],
    input: [old, ...input, unknown],
    output: [...output, unknown],
  }))
  const answer = open(bytes)?.serialize([parts]) ?? new Uint8Array()
  const reader = psbtReader(answer)
  expect(mapIn(reader).at(-1)).toEqual(unknown)
  const input = mapIn(reader)
  expect(input).toHaveLength(3)
  expect(input[0]?.value.length).toBeGreaterThan(69)
  expect(input.at(-1)).toEqual(unknown)
  expect(mapIn(reader).at(-1)).toEqual(unknown)
})

test('an input more than the limit is refused', () => {
  const psbt = new Psbt()
  const script = scriptOf('P2WPKH')
  for (let index = 0; index <= psbtInputsMax; index += 1) {
    psbt.addInput({ hash: new Uint8Array(32), index, witnessUtxo: { script, value: 1_000n } })
  }
  psbt.addOutput({ script, value: 900n })
  expect(failureOf(() => open(psbt.toBuffer())).message).toContain('has more than 500 inputs')
})

test('as many inputs as may be, each with the whole transaction that it spends from and keys of several, are signed', () => {
  const psbt = new Psbt()
  const { script, witnessScript } = ownScript('P2WSH', publicKey)
  for (let index = 0; index < psbtInputsMax; index += 1) {
    const previous = previousOf(script, 1_000n + BigInt(index))
    for (let other = 0; other < 6; other += 1) previous.addOutput(scriptOf('P2WPKH', stranger), 5n)
    psbt.addInput({
      ...{ hash: previous.getId(), index: 0, nonWitnessUtxo: previous.toBuffer() },
      witnessUtxo: { script, value: 1_000n + BigInt(index) },
      ...(witnessScript && { witnessScript }),
      bip32Derivation: [publicKey, stranger].map((pubkey) => ({
        pubkey,
        masterFingerprint: u32(7),
        path: "m/48'/0'/0'/2'/0/7",
      })),
    })
  }
  psbt.addOutput({ script, value: 900n })
  expect(open(psbt.toBuffer())?.messages).toHaveLength(psbtInputsMax)
})

test('a previous transaction of very many outputs is read, and its witnesses are no part of its id', () => {
  const previous = previousOf(scriptOf('P2PKH'))
  previous.setWitness(0, [new Uint8Array(3), new Uint8Array(300), new Uint8Array(0)])
  for (let other = 0; other < 15_000; other += 1) previous.addOutput(scriptOf('P2WPKH', stranger), BigInt(other))
  const psbt = new Psbt().addInput({ hash: previous.getId(), index: 7_001, nonWitnessUtxo: previous.toBuffer() })
  psbt.addInput({ hash: previous.getId(), index: 0, nonWitnessUtxo: previous.toBuffer() })
  psbt.addOutput({ script: scriptOf('P2PKH'), value: 900n })
  expect(parsePsbt(psbt.toBuffer()).spent).toEqual([
    { amount: 7_000n, script: scriptOf('P2WPKH', stranger), isVerified: true },
    { amount: 1_000n, script: scriptOf('P2PKH'), isVerified: true },
  ])
})
