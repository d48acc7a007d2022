import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import {
  type AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { Psbt, payments } from 'bitcoinjs-lib'
import { TronWeb, utils } from 'tronweb'
import { encodeFunctionData, erc20Abi, serializeTransaction, type TransactionSerializable } from 'viem'
import { describe, expect, test } from 'vitest'
import { addressOf } from '../../protocol/chains/address_formats.ts'
import { finished } from '../../protocol/tools/steps.ts'
import type { Struct } from '../language/expression_values.ts'
import { ownScript, scriptKinds } from '../transactions/bitcoin/bitcoin_scripts.ts'
import { type TransactionType, transactionKinds } from '../transactions/transaction_kinds.ts'
import { parseAsset } from './assets.ts'
import { transfersOf } from './transfers.ts'

/** The transactions are made by other libraries, and read as conditions see them. */
const publicKey = secp256k1.getPublicKey(new Uint8Array(32).fill(0x46))
const solanaKey = new PublicKey(new Uint8Array(32).fill(1))
const stranger = new PublicKey(new Uint8Array(32).fill(2))

function factsOf(type: TransactionType, bytes: Uint8Array): Struct {
  const kind = transactionKinds[type]
  const signer =
    type === 'TRANSACTION_TYPE_SOLANA'
      ? ({ curve: 'CURVE_ED25519', scheme: 'default', publicKey: solanaKey.toBytes() } as const)
      : ({ curve: 'CURVE_SECP256K1', scheme: 'default', publicKey } as const)
  const transaction = finished(kind.open(bytes, { ...signer, addressFormat: undefined }))
  return { [kind.keyword]: { tx: finished(transaction.struct(new Map())).struct } }
}

/** The amounts by the names of the assets, or undefined if the content cannot be read. */
function amounts(facts: Struct, ...names: readonly string[]) {
  const assets = names.map((name) => {
    const asset = parseAsset(name)
    if (asset === undefined) throw new Error(`${name} is no asset`)
    return { ...asset, name }
  })
  const ownScripts = () => new Set(scriptKinds.map((kind) => bytesToHex(ownScript(kind, publicKey).script)))
  return transfersOf({ facts: () => facts, ownScripts }, assets)?.map(({ asset: { name }, amount }) => [name, amount])
}

const to = '0x1111111111111111111111111111111111111111'
const own = addressOf({ format: 'ADDRESS_FORMAT_ETHEREUM', curve: 'CURVE_SECP256K1', publicKey }) as `0x${string}`
const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const ether = 'eip155:1/slip44:60'
const usdcToken = `eip155:1/erc20:${usdc}`

describe('Ethereum', () => {
  const eth = (fields: object) =>
    factsOf(
      'TRANSACTION_TYPE_ETHEREUM',
      hexToBytes(
        serializeTransaction({ type: 'eip1559', chainId: 1, to, ...fields } as TransactionSerializable).slice(2),
      ),
    )
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 7n] })
  const transferFrom = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [to, to, 8n] })
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, 9n] })

  test.each<[string, object, readonly (readonly [string, bigint])[] | undefined]>([
    ['the value', { value: 5n }, [[ether, 5n]]],
    ['no value', {}, []],
    ['another chain', { value: 5n, chainId: 10 }, []],
    ['a legacy transaction without a chain', { type: 'legacy', chainId: undefined, value: 5n }, [[ether, 5n]]],
    ['a new contract', { to: undefined, value: 5n, data: '0x60' }, [[ether, 5n]]],
    ['transfer', { to: usdc, data: transfer }, [[usdcToken, 7n]]],
    ['transfer with more bytes', { to: usdc, data: `${transfer}00ff` }, [[usdcToken, 7n]]],
    ['transferFrom', { to: usdc, data: transferFrom }, [[usdcToken, 8n]]],
    [
      'transfer with a value',
      { to: usdc, data: transfer, value: 5n },
      [
        [ether, 5n],
        [usdcToken, 7n],
      ],
    ],
    ['a transfer at another contract', { data: transfer }, []],
    ['a transfer on another chain', { to: usdc, data: transfer, chainId: 10 }, []],
    ['a transfer that ends too early', { to: usdc, data: transfer.slice(0, -2) }, undefined],
    ['approve', { to: usdc, data: approve }, undefined],
    ['approve on another chain', { to: usdc, data: approve, chainId: 10 }, []],
    ['a call without a function', { to: usdc, data: '0x01' }, undefined],
    ['a call of the signing account, which EIP-7702 may have given code', { to: own, data: transfer }, undefined],
    ['a call of the signing account on another chain', { to: own, data: transfer, chainId: 10 }, []],
    ['a value to the signing account', { to: own, value: 5n }, [[ether, 5n]]],
    [
      'an authorization',
      {
        type: 'eip7702',
        authorizationList: [{ address: to, chainId: 1, nonce: 0, r: '0x01', s: '0x01', yParity: 0 }],
        value: 5n,
      },
      undefined,
    ],
  ])('%s', (_name, fields, expected) => {
    expect(amounts(eth(fields), ether, usdcToken)).toEqual(expected)
  })

  test('a transaction of this chain moves no asset of another', () => {
    expect(amounts(eth({ value: 5n }), 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501')).toEqual([])
  })
})

describe('Solana', () => {
  const chain = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
  const sol = `${chain}/slip44:501`
  const mint = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
  const usd = `${chain}/token:${mint.toBase58()}`
  const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
  const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
  const solana = (...instructions: TransactionInstruction[]) => {
    const tables: AddressLookupTableAccount[] = []
    const message = { payerKey: solanaKey, recentBlockhash: stranger.toBase58(), instructions }
    const transaction = new VersionedTransaction(new TransactionMessage(message).compileToV0Message(tables))
    return factsOf('TRANSACTION_TYPE_SOLANA', transaction.serialize())
  }
  const call = (program: string, keys: readonly PublicKey[], data: readonly number[]) =>
    new TransactionInstruction({
      programId: new PublicKey(program),
      keys: keys.map((pubkey) => ({ pubkey, isSigner: pubkey === solanaKey, isWritable: true })),
      data: Buffer.from(data),
    })
  const pay = (lamports: number) => SystemProgram.transfer({ fromPubkey: solanaKey, toPubkey: stranger, lamports })
  const checked = (token: PublicKey) =>
    call(tokenProgram, [stranger, token, stranger, solanaKey], [12, 9, 0, 0, 0, 0, 0, 0, 0, 6])
  const nine = [9, 0, 0, 0, 0, 0, 0, 0]

  test.each<[string, readonly TransactionInstruction[], readonly (readonly [string, bigint])[] | undefined]>([
    [
      'transfers',
      [pay(5), pay(6)],
      [
        [sol, 5n],
        [sol, 6n],
      ],
    ],
    ['a token', [checked(mint)], [[usd, 9n]]],
    [
      'both',
      [pay(5), checked(mint)],
      [
        [sol, 5n],
        [usd, 9n],
      ],
    ],
    ['another token', [checked(stranger)], []],
    [
      'a price, a memo and a new token account',
      [
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 5 }),
        call('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', [], [1]),
        call('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', [solanaKey], [1]),
        pay(5),
      ],
      [[sol, 5n]],
    ],
    [
      'a token transfer without its mint',
      [call(tokenProgram, [stranger, stranger, solanaKey], [3, ...nine])],
      undefined,
    ],
    ['an approval of a token', [call(tokenProgram, [stranger, stranger, solanaKey], [4, ...nine])], undefined],
    [
      'a new account',
      [
        SystemProgram.createAccount({
          fromPubkey: solanaKey,
          newAccountPubkey: stranger,
          lamports: 5,
          space: 0,
          programId: stranger,
        }),
      ],
      undefined,
    ],
    [
      'a nested token account',
      [pay(5), call('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', [solanaKey], [2])],
      undefined,
    ],
    [
      'an instruction of the budget that cannot be read',
      [pay(5), call('ComputeBudget111111111111111111111111111111', [], [3, 1])],
      undefined,
    ],
    [
      'a batch of a transfer and an approval',
      [
        call(
          tokenProgram,
          [stranger, mint, stranger, solanaKey, stranger, stranger, solanaKey],
          [255, 4, 10, 12, ...nine, 6, 3, 9, 4, ...nine],
        ),
      ],
      undefined,
    ],
    [
      'a batch of a transfer',
      [call(tokenProgram, [stranger, mint, stranger, solanaKey], [255, 4, 10, 12, ...nine, 6])],
      [[usd, 9n]],
    ],
    [
      'a token that the key owns, and its hook with accounts of its own',
      [call(token2022, [stranger, mint, stranger, solanaKey, mint, stranger], [12, ...nine, 6])],
      [[usd, 9n]],
    ],
    [
      'a token of another owner, for whose hook the key signs',
      [call(token2022, [stranger, mint, stranger, mint, solanaKey, stranger], [12, ...nine, 6])],
      undefined,
    ],
    [
      'the same in a batch',
      [call(token2022, [stranger, mint, stranger, mint, solanaKey, stranger], [255, 6, 10, 12, ...nine, 6])],
      undefined,
    ],
    ['another program', [pay(5), call(stranger.toBase58(), [solanaKey], [])], undefined],
  ])('%s', (_name, instructions, expected) => {
    expect(amounts(solana(...instructions), sol, usd)).toEqual(expected)
  })
})

describe('Tron', () => {
  const owner = TronWeb.address.fromHex(`41${'ab'.repeat(20)}`)
  const token = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  const trx = 'tron:0x2b6653dc/slip44:195'
  const usdt = `tron:0x2b6653dc/trc20:${token}`
  const hexOf = (address: string) => TronWeb.address.toHex(address)
  function tron(type: string, value: object): Struct {
    const parameter = {
      value: { owner_address: hexOf(owner), ...value },
      type_url: `type.googleapis.com/protocol.${type}`,
    }
    const raw_data = {
      ...{ contract: [{ parameter, type }], ref_block_bytes: '0102', ref_block_hash: '00'.repeat(8) },
      ...{ expiration: 1_700_000_000_000, timestamp: 1_700_000_000_000 },
    }
    const transaction = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
    return factsOf('TRANSACTION_TYPE_TRON', hexToBytes(utils.transaction.txPbToRawDataHex(transaction).toLowerCase()))
  }
  const data = (functionName: 'transfer' | 'approve') =>
    encodeFunctionData({ abi: erc20Abi, functionName, args: [to, 7n] }).slice(2)

  test.each<[string, string, object, readonly (readonly [string, bigint])[] | undefined]>([
    ['a transfer', 'TransferContract', { to_address: hexOf(owner), amount: 5 }, [[trx, 5n]]],
    ['a token', 'TriggerSmartContract', { contract_address: hexOf(token), data: data('transfer') }, [[usdt, 7n]]],
    ['an approval', 'TriggerSmartContract', { contract_address: hexOf(token), data: data('approve') }, undefined],
    [
      'a call of another contract, with a value',
      'TriggerSmartContract',
      { contract_address: hexOf(owner), data: data('approve'), call_value: 5 },
      [[trx, 5n]],
    ],
    ['another kind of contract', 'FreezeBalanceV2Contract', { frozen_balance: 5, resource: 'ENERGY' }, undefined],
  ])('%s', (_name, type, value, expected) => {
    expect(amounts(tron(type, value), trx, usdt)).toEqual(expected)
  })
})

describe('Bitcoin', () => {
  const coin = 'bip122:000000000019d6689c085ae165831e93/slip44:0'
  const own = payments.p2wpkh({ pubkey: publicKey }).output ?? new Uint8Array()
  const other = payments.p2wpkh({ hash: new Uint8Array(20).fill(7) }).output ?? new Uint8Array()
  function bitcoin(inputs: readonly Uint8Array[], outputs: readonly (readonly [Uint8Array, bigint])[]): Struct {
    const psbt = new Psbt()
    for (const [index, script] of inputs.entries()) {
      psbt.addInput({ hash: new Uint8Array(32).fill(index + 1), index: 0, witnessUtxo: { script, value: 100n } })
    }
    for (const [script, value] of outputs) psbt.addOutput({ script, value })
    return factsOf('TRANSACTION_TYPE_BITCOIN', psbt.toBuffer())
  }

  test('all that leaves the key is one transfer: payments and the fee, without the change', () => {
    expect(
      amounts(
        bitcoin(
          [own],
          [
            [other, 30n],
            [own, 50n],
            [other, 15n],
          ],
        ),
        coin,
      ),
    ).toEqual([[coin, 50n]])
    expect(amounts(bitcoin([own], [[own, 100n]]), coin)).toEqual([])
  })

  test('change may go to any address of the same key', () => {
    for (const kind of scriptKinds) {
      expect(amounts(bitcoin([own], [[ownScript(kind, publicKey).script, 90n]]), coin)).toEqual([[coin, 10n]])
    }
  })

  test('without a certain fee it cannot be read', () => {
    expect(amounts(bitcoin([own, own], [[other, 30n]]), coin)).toBeUndefined()
    const taproot = ownScript('P2TR', publicKey).script
    expect(amounts(bitcoin([own, taproot], [[other, 30n]]), coin)).toBeUndefined()
    expect(amounts(bitcoin([taproot, taproot], [[other, 30n]]), coin)).toEqual([[coin, 200n]])
  })
})

test('what is no transaction cannot be read', () => {
  for (const facts of [{}, { eth: { eip_712: { primary_type: 'Permit' } } }, { activity: {} }]) {
    expect(amounts(facts, ether)).toBeUndefined()
  }
})
