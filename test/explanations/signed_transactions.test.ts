import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { address as bitcoinAddress, Psbt, payments } from 'bitcoinjs-lib'
import { Transaction, toBeHex, verifyAuthorization } from 'ethers'
import fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import { serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import type { Value } from '../../src/contract/explanation/explanation.ts'
import { prepareBitcoinjs } from '../support/bitcoinjs.ts'
import { comparable, valueOfType } from '../support/contract_calls.ts'
import { explaining, labelOf, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { generatedRuns } from '../support/generated_runs.ts'
import { expectRefused, newAccount, startOrganization } from '../support/organization.ts'

prepareBitcoinjs()
const organization = await startOrganization()
const { done, found, submit } = organization
const explain = explaining(organization)
const ofBitcoin = { path: "m/84'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' }
const ofTron = { path: "m/44'/195'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_TRON' }
const { walletId, addresses } = await done('create_wallet', {
  ...{ walletName: 'Treasury', accounts: [newAccount(), newAccount(ofTron), newAccount(ofBitcoin)] },
})
const [ethereumKey = '', tronKey = '', bitcoinKey = ''] = addresses.map(String)
const numRuns = Math.ceil(generatedRuns / 10)

const explainTransaction = (type: string, signWith: string, unsignedTransaction: string) =>
  explain('sign_transaction', { signWith, type: `TRANSACTION_TYPE_${type}`, unsignedTransaction })

const addressOf = valueOfType({ type: 'address' })
const uint = valueOfType({ type: 'uint64' })
/** ethers takes signatures with a low `s` only. */
const uint256 = fc.bigInt(1n, 2n ** 254n)
const bytes32 = valueOfType({ type: 'bytes32' })

/** The hash of a blob begins with its version. */
const blobHash = valueOfType({ type: 'bytes31' }).map((rest) => `0x01${String(rest).slice(2)}`)
const accessList = fc.array(fc.record({ address: addressOf, storageKeys: fc.array(bytes32, { maxLength: 3 }) }), {
  maxLength: 3,
})
const common = { nonce: fc.nat(), gas: fc.bigInt(0n, 2n ** 40n), to: addressOf, value: uint }
const fees = { maxFeePerGas: fc.bigInt(2n ** 40n, 2n ** 41n), maxPriorityFeePerGas: fc.bigInt(0n, 2n ** 40n) }
const chainId = fc.constantFrom(1, 137, 8453, 424242)
const authorizationList = fc.array(
  fc
    .record({
      address: addressOf,
      chainId: fc.nat(),
      nonce: fc.maxSafeNat(),
      yParity: fc.nat(1),
      r: uint256,
      s: uint256,
    })
    .map(({ r, s, ...rest }) => ({ ...rest, r: toBeHex(r), s: toBeHex(s) })),
  { minLength: 1, maxLength: 3 },
)
/** The code of a new contract stands in the place of a call. */
const creation = { ...common, to: fc.constant(undefined), data: valueOfType({ type: 'bytes' }) }
const ethereumTransactions = fc.oneof(
  fc.record({ type: fc.constant('legacy'), gasPrice: uint, ...common }),
  fc.record({ type: fc.constant('legacy'), gasPrice: uint, ...creation }),
  fc.record({ type: fc.constant('eip1559'), chainId, ...fees, ...creation }),
  fc.record({ type: fc.constant('eip7702'), chainId, accessList, ...fees, ...common, authorizationList }),
  fc.record({ type: fc.constant('legacy'), chainId, gasPrice: uint, ...common }),
  fc.record({ type: fc.constant('eip2930'), chainId, gasPrice: uint, accessList, ...common }),
  fc.record({ type: fc.constant('eip1559'), chainId, accessList, ...fees, ...common }),
  fc.record({
    ...{ type: fc.constant('eip4844'), chainId, accessList, ...fees, ...common },
    ...{
      maxFeePerBlobGas: fc.nat().map(BigInt),
      blobVersionedHashes: fc.array(blobHash, { minLength: 1, maxLength: 3 }),
    },
  }),
)

test('Ethereum: a transaction of each type is signed as it is shown, by what ethers reads from it', async () => {
  await fc.assert(
    fc.asyncProperty(ethereumTransactions, async (fields) => {
      const unsigned = serializeTransaction(fields as never)
      const { explanation, result } = await explainTransaction('ETHEREUM', ethereumKey, unsigned)
      const signed = Transaction.from(`0x${result.signedTransaction}`)
      expect(signed.from).toBe(ethereumKey)
      const shown = (label: string) => valuesAt(explanation, 'transaction', label).map(plain)
      const blobs = BigInt(signed.blobVersionedHashes?.length ?? 0)
      const price = signed.maxFeePerGas ?? signed.gasPrice ?? 0n
      const maxFee = signed.gasLimit * price + blobs * 131_072n * (signed.maxFeePerBlobGas ?? 0n)
      expect(shown('chain')).toEqual([chainShown(signed.chainId)])
      expect(shown('nonce')).toEqual([BigInt(signed.nonce)])
      expect(shown('to')).toEqual([signed.to ?? 'newContract'])
      expect(valuesAt(explanation, 'calls', 'data').map(plain)).toEqual(signed.data === '0x' ? [] : [signed.data])
      expect(shown('amount')).toEqual([signed.value])
      expect(shown('gasLimit')).toEqual([signed.gasLimit])
      expect(shown('maxFee')).toEqual([maxFee])
      expect(shown('maxPriorityFeePerGas')).toEqual(
        signed.type !== null && signed.type > 1 ? [signed.maxPriorityFeePerGas] : [],
      )
      expect(shown('blobHashes')).toEqual(blobs === 0n ? [] : [signed.blobVersionedHashes])
      expect(comparable(shown('accessList').flat())).toEqual(comparable(accessedBy(signed)))
      expect(comparable(valuesAt(explanation, 'authorizations', 'authorization').map(plain))).toEqual(
        comparable(authorizedBy(signed)),
      )
    }),
    { numRuns: 2 * numRuns },
  )
})

const everyChain = { kind: 'note', code: 'everyChain' }
const chainShown = (chainId: bigint) => (chainId === 0n ? everyChain : `eip155:${chainId}`)

/** The account of an authorization is who signed it, or unreadable if the signature is of none. */
function authorizedBy({ authorizationList }: Transaction): readonly unknown[] {
  return (authorizationList ?? []).map(({ address: codeAt, chainId, nonce, signature }) => {
    const signed = { address: codeAt, chainId, nonce }
    return { authority: authorityOf(signed, signature), codeAt, chain: chainShown(chainId), nonce }
  })
}

function authorityOf(...signed: Parameters<typeof verifyAuthorization>): unknown {
  try {
    return verifyAuthorization(...signed)
  } catch {
    return { kind: 'note', code: 'unreadable' }
  }
}

/** An account whose storage is not named stands alone. */
function accessedBy({ accessList }: Transaction): readonly unknown[] {
  return (accessList ?? []).map(({ address, storageKeys }) =>
    storageKeys.length === 0 ? address : { address, storageKeys },
  )
}

test('Ethereum: other bytes are refused, or shown as what ethers reads from what was signed', async () => {
  let signedCount = 0
  await fc.assert(
    fc.asyncProperty(
      ethereumTransactions,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (fields, at, difference) => {
        const bytes = hexToBytes(serializeTransaction(fields as never).slice(2))
        const place = at % bytes.length
        for (const mutant of [bytes.with(place, (bytes[place] ?? 0) ^ difference), Uint8Array.of(...bytes, 0)]) {
          const unsignedTransaction = bytesToHex(mutant)
          const parameters = { signWith: ethereumKey, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction }
          if ((await submit('sign_transaction', parameters)).status !== 200) continue
          signedCount += 1
          const { explanation, result } = await explainTransaction('ETHEREUM', ethereumKey, unsignedTransaction)
          const signed = Transaction.from(`0x${result.signedTransaction}`)
          const shown = (label: string) => valuesAt(explanation, 'transaction', label).map(plain)
          expect([shown('to'), shown('amount')]).toEqual([[signed.to ?? 'newContract'], [signed.value]])
          expect(comparable(shown('accessList').flat())).toEqual(comparable(accessedBy(signed)))
          expect(comparable(valuesAt(explanation, 'authorizations', 'authorization').map(plain))).toEqual(
            comparable(authorizedBy(signed)),
          )
        }
      },
    ),
    { numRuns: 3 * numRuns },
  )
  expect(signedCount).toBeGreaterThan(0)
})

const tronAddress = addressOf.map((address) => `41${String(address).slice(2).toLowerCase()}`)
const sun = fc.integer({ min: 1, max: 2 ** 50 })
const resource = fc.constantFrom('BANDWIDTH', 'ENERGY')
const permission = (type: string) =>
  fc.record({
    ...{
      type: fc.constant(type),
      id: fc.integer({ min: 1, max: 10 }),
      permission_name: fc.string({ minLength: 1, unit: 'binary-ascii' }),
    },
    ...{ threshold: sun, operations: valueOfType({ type: 'bytes32' }).map((hex) => String(hex).slice(2)) },
    keys: fc.array(fc.record({ address: tronAddress, weight: sun }), { minLength: 1, maxLength: 5 }),
  })
const tronContracts: Readonly<Record<string, fc.Arbitrary<Readonly<Record<string, unknown>>>>> = {
  TransferContract: fc.record({ to_address: tronAddress, amount: sun }),
  TriggerSmartContract: fc.record({
    ...{ contract_address: tronAddress, call_value: sun },
    data: valueOfType({ type: 'bytes' }).map((data) => `deadbeef${String(data).slice(2)}`),
  }),
  FreezeBalanceV2Contract: fc.record({ frozen_balance: sun, resource }),
  UnfreezeBalanceV2Contract: fc.record({ unfreeze_balance: sun, resource }),
  DelegateResourceContract: fc.record({ resource, balance: sun, receiver_address: tronAddress }),
  UnDelegateResourceContract: fc.record({ resource, balance: sun, receiver_address: tronAddress }),
  AccountPermissionUpdateContract: fc.record({
    owner: permission('Owner'),
    witness: fc.option(permission('Witness'), { nil: undefined }),
    actives: fc.array(permission('Active'), { maxLength: 3 }),
  }),
}

function tronRawData(type: string, value: object): string {
  const contract = [
    { type, parameter: { value: { owner_address: TronWeb.address.toHex(tronKey), ...value }, type_url: '' } },
  ]
  const times = { expiration: 2, timestamp: 1, fee_limit: 1_000_000 }
  const raw_data = { contract, ref_block_bytes: '0102', ref_block_hash: '0102030405060708', ...times }
  const json = { visible: false, txID: '', raw_data_hex: '', raw_data }
  return utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb(json as never)).toLowerCase()
}

/** The signature follows `raw_data` in what a node takes. It is one of the signer over the hash of these very bytes. */
function expectSignedByTronKey(signedTransaction: string, rawData: string): void {
  expect(signedTransaction.includes(rawData)).toBe(true)
  const signature = hexToBytes(signedTransaction.slice(-130))
  const recovered = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
    .addRecoveryBit((signature[64] ?? 0) - 27)
    .recoverPublicKey(sha256(hexToBytes(rawData)))
  const publicKey = [...recovered.toBytes(false)]
  expect(TronWeb.address.fromHex(utils.bytes.byteArray2hexStr(utils.crypto.computeAddress(publicKey)))).toBe(tronKey)
}

/** A field of a contract as tronweb writes it. Integers of zero and false are absent there. */
function asTronweb(value: Value): unknown {
  const [blocks] = value.kind === 'note' && value.code === 'blocksOfTron' ? (value.values ?? []) : []
  if (blocks !== undefined) return asTronweb(blocks)
  if (value.kind === 'list') return value.items.map(asTronweb)
  if (value.kind === 'tree') return Object.fromEntries(value.rows.map((one) => [labelOf(one), asTronweb(one.value)]))
  const shown = plain(value)
  if (value.kind === 'address') return TronWeb.address.toHex(String(shown)).toLowerCase()
  return typeof shown === 'bigint' ? Number(shown) : shown
}

for (const [type, values] of Object.entries(tronContracts)) {
  test(`Tron: ${type} is signed as it is shown, by what tronweb reads from it; another form is refused`, async () => {
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        const rawData = tronRawData(type, given)
        const { explanation, result } = await explainTransaction('TRON', tronKey, rawData)
        expectSignedByTronKey(String(result.signedTransaction), rawData)
        const read = utils.deserializeTx.deserializeTransaction(type, rawData).contract[0].parameter.value
        const [call] = valuesAt(explanation, 'calls', 'call')
        const [data] = valuesAt(explanation, 'calls', 'data')
        for (const [name, expected] of Object.entries<unknown>(read)) {
          if (name === 'data') expect(plain(data)).toBe(`0x${String(expected).toLowerCase()}`)
          else {
            const shown = memberOf(call, name)
            const wanted = typeof expected === 'string' && expected.startsWith('41') ? expected.toLowerCase() : expected
            // tronweb leaves out some members of permissions.
            const [ours, theirs] = [shown && asTronweb(shown), wanted ?? undefined].map((one) => ({
              [name]: comparable(one),
            }))
            expect(ours).toMatchObject(theirs ?? {})
          }
        }
        expect(warningsOf(explanation).includes('unreadBytes')).toBe('data' in given)
        // A field that nodes skip, and a field in another order than the canonical one.
        for (const mutant of [`${rawData}a00601`, `40${rawData}`]) {
          const parameters = { signWith: tronKey, type: 'TRANSACTION_TYPE_TRON', unsignedTransaction: mutant }
          expectRefused(await submit('sign_transaction', parameters), 400)
        }
      }),
      { numRuns },
    )
  })
}

const { accounts } = await found('list_wallet_accounts', { walletId })
const publicKey = hexToBytes(
  String(accounts.find(({ address }: { readonly address: string }) => address === bitcoinKey)?.publicKey),
)
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const scripts = fc.oneof(
  bytesOf(20).map((hash) => Uint8Array.of(0, 20, ...hash)),
  bytesOf(32).map((hash) => Uint8Array.of(0, 32, ...hash)),
  bytesOf(20).map((hash) => Uint8Array.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac)),
  bytesOf(20).map((hash) => Uint8Array.of(0xa9, 20, ...hash, 0x87)),
  bytesOf(30).map((data) => Uint8Array.of(0x6a, 30, ...data)),
)

test('Bitcoin: a PSBT is signed as it is shown, by what bitcoinjs-lib extracts from it; unknown entries are not signed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ script: scripts, value: fc.bigInt(0n, 10_000n) }), { minLength: 1, maxLength: 5 }),
      fc.nat(2 ** 32 - 1),
      async (outputs, lockTime) => {
        const { output: script = new Uint8Array() } = payments.p2wpkh({ pubkey: publicKey })
        const psbt = new Psbt().setLocktime(lockTime)
        const hash = sha256(Uint8Array.of(lockTime & 0xff))
        psbt.addInput({ hash, index: 3, sequence: 1, witnessUtxo: { script, value: 60_000n } })
        psbt.addOutputs(outputs)
        const explained = await explainTransaction('BITCOIN', bitcoinKey, psbt.toHex())
        const signed = Psbt.fromHex(String(explained.result.signedTransaction))
          .finalizeAllInputs()
          .extractTransaction(true)
        const shown = valuesAt(explained.explanation, 'transfers', 'output')
        expect(
          shown.map((one) => [plain(memberOf(one, 'to') ?? memberOf(one, 'script')), plain(memberOf(one, 'amount'))]),
        ).toEqual(signed.outs.map((out) => [addressOrScript(out.script), out.value]))
        const [input] = valuesAt(explained.explanation, 'transfers', 'input')
        expect(plain(memberOf(input, 'spends'))).toBe(
          `0x${bytesToHex(Uint8Array.from(signed.ins[0]?.hash ?? []).reverse())}`,
        )
        expect(valuesAt(explained.explanation, 'transaction', 'lockTime').map(plain)).toEqual([
          { amount: BigInt(signed.locktime), type: signed.locktime < 500_000_000 ? 'Blocks' : 'Seconds' },
        ])
        expect(valuesAt(explained.explanation, 'transaction', 'fee').map(plain)).toEqual([
          60_000n - signed.outs.reduce((sum, { value }) => sum + value, 0n),
        ])
        const unknown = { key: Uint8Array.of(0xfc, 1), value: Uint8Array.of(7) }
        psbt.addUnknownKeyValToGlobal(unknown).addUnknownKeyValToInput(0, unknown).addUnknownKeyValToOutput(0, unknown)
        const other = await explainTransaction('BITCOIN', bitcoinKey, psbt.toHex())
        const again = Psbt.fromHex(String(other.result.signedTransaction)).finalizeAllInputs().extractTransaction(true)
        expect(again.toHex()).toBe(signed.toHex())
        expect(other.lines.slice(0, 1)).toEqual(explained.lines.slice(0, 1))
      },
    ),
    { numRuns },
  )
})

function addressOrScript(script: Uint8Array): string {
  return script[0] === 0x6a ? `0x${bytesToHex(script)}` : bitcoinAddress.fromOutputScript(script)
}
