import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  AddressLookupTableAccount,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { Psbt, payments } from 'bitcoinjs-lib'
import { TronWeb, utils } from 'tronweb'
import { encodeFunctionData, erc20Abi, type Hex, serializeTransaction } from 'viem'
import { activityFacts } from '../../src/contract/activity_facts.ts'
import type { Signer } from '../../src/contract/keys.ts'
import type { SmartContractInterface } from '../../src/contract/records/records.ts'
import { operationOfType } from '../../src/operations/catalogue.ts'
import type { Struct } from '../../src/policy/language/expression_values.ts'
import { finished } from '../../src/protocol/tools/steps.ts'
import { prepareBitcoinjs } from './bitcoinjs.ts'

/** Signing requests of every kind, with the facts that their operations make of them for conditions. */
export type SigningRequest = {
  readonly name: string
  /** The names in `src/policy/denials` of the requests to which it belongs. */
  readonly kinds: readonly string[]
  readonly signer: 'wallet' | 'private_key'
  readonly facts: Struct
  readonly isTransaction: boolean
}

prepareBitcoinjs()
const secret = new Uint8Array(32).fill(0x46)
const secp = secp256k1.getPublicKey(secret)
const ed = ed25519.getPublicKey(secret)
const times = { createdAtMs: 0, updatedAtMs: 0 }
const records = {
  wallet: { walletId: 'w1', walletName: 'hot', imported: false, exported: false, ...times },
  account: {
    ...times,
    ...{ walletAccountId: 'a1', walletId: 'w1', curve: 'CURVE_SECP256K1', path: "m/44'/60'/0'/0/0" },
    ...{ addressFormat: 'ADDRESS_FORMAT_ETHEREUM', address: '0xab', publicKey: '' },
  },
  privateKey: {
    ...times,
    ...{ privateKeyId: 'k1', privateKeyName: 'cold', curve: 'CURVE_SECP256K1', publicKey: '', addresses: [] },
    ...{ privateKeyTags: ['t1'], imported: true, exported: false },
  },
}

const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const stranger = '0x000000000000000000000000000000000000dead'
const program = new PublicKey(new Uint8Array(32).fill(8))
const interfaces: readonly SmartContractInterface[] = [
  { smartContractAddress: token, smartContractInterface: JSON.stringify(erc20Abi), type: 'ETHEREUM' as const },
  {
    smartContractAddress: program.toBase58(),
    smartContractInterface: JSON.stringify({
      address: program.toBase58(),
      instructions: [
        {
          name: 'pay',
          discriminator: [7],
          accounts: [{ name: 'payee' }],
          args: [{ name: 'amount', type: 'u64' }],
        },
      ],
    }),
    type: 'SOLANA' as const,
  },
].map((one, index) => ({ ...times, ...one, smartContractInterfaceId: `i${index}`, label: 'contract', notes: '' }))

/** Returns the facts of a request of this activity type, signed in each way. */
function requestsOf(
  name: string,
  kinds: readonly string[],
  { type, parameters, curve = 'CURVE_SECP256K1' }: { type: string; parameters: object; curve?: Signer['curve'] },
): readonly SigningRequest[] {
  return (['wallet', 'private_key'] as const).map((signer) => {
    const found: Signer = {
      kind: signer === 'wallet' ? 'wallet_account' : 'private_key',
      recordId: '',
      curve,
      publicKey: curve === 'CURVE_ED25519' ? ed : secp,
      addressFormat: undefined,
      scheme: 'default',
    }
    const organization = {
      signer: () => found,
      wallets: { get: () => records.wallet },
      walletAccounts: { get: () => records.account },
      privateKeys: { get: () => records.privateKey },
    }
    const given = type === 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD' ? { privateKeyId: 'k1' } : { signWith: 'k1' }
    const bound = operationOfType(type)?.accepted.read({ ...given, ...parameters } as never)
    if (bound === undefined) throw new Error(`there is no type ${type}`)
    const facts = {
      ...finished(bound.facts({ organization, contractInterfaces: () => interfaces } as never)).keywords,
      activity: activityFacts({ type, policy: bound.operation.policy, parameters: bound.parameters }),
    }
    return { name: `${name}, by ${signer}`, kinds, signer, facts, isTransaction: bound.spendsFrom !== undefined }
  })
}

function payloads(name: string, kinds: readonly string[], parameters: object, payload: string) {
  return [
    ...['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD'].flatMap((type) =>
      requestsOf(name, kinds, { type, parameters: { ...parameters, payload } }),
    ),
    ...requestsOf(`one of ${name}`, kinds, {
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
      parameters: { ...parameters, payloads: [payload] },
    }),
    ...requestsOf(
      `two of ${name}`,
      [...kinds.filter((kind) => kind === 'raw payloads'), 'several payloads in one request'],
      {
        type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
        parameters: { ...parameters, payloads: [payload, payload] },
      },
    ),
  ]
}

function typedData(domain: Record<string, unknown>, message: Record<string, unknown>): string {
  const typeOf = (name: string, value: unknown) => ({
    name,
    type: typeof value === 'string' ? (name === 'verifyingContract' ? 'address' : 'string') : 'uint256',
  })
  const types = {
    EIP712Domain: Object.entries(domain).map(([name, value]) => typeOf(name, value)),
    Permit: Object.entries(message).map(([name, value]) => typeOf(name, value)),
  }
  return JSON.stringify({ types, primaryType: 'Permit', domain, message })
}

const raw = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256' }
const text = { ...raw, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8' }
const typed = { encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' }
const authorization = { ...typed, encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION' }
const ofTypedData = ['typed data', 'typed data without the member']

const allPayloads = [
  ...payloads('hex', ['raw payloads'], raw, 'ab'),
  ...payloads('text', ['raw payloads'], text, 'hello'),
  ...payloads('typed data', ofTypedData, typed, typedData({ name: 'x' }, { to: 'a', amount: 5 })),
  ...payloads(
    'typed data with a whole domain',
    ofTypedData,
    typed,
    typedData({ name: 'a', version: '1', chainId: 1, verifyingContract: token }, { spender: 'b' }),
  ),
  ...payloads('typed data without a domain', ofTypedData, typed, typedData({}, { a: 'a' })),
  ...payloads(
    'an authorization',
    ['authorizations of EIP-7702'],
    authorization,
    JSON.stringify({ address: token, chainId: 1, nonce: 2 }),
  ),
  ...payloads(
    'an authorization of every chain',
    ['authorizations of EIP-7702'],
    authorization,
    JSON.stringify({ address: token, chainId: 0, nonce: 2 }),
  ),
]

type Transaction = { readonly chain: string; readonly hex: string; readonly curve?: Signer['curve'] }

function transactions(name: string, parts: readonly string[], { chain, hex, ...signer }: Transaction) {
  return ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', 'ACTIVITY_TYPE_SIGN_TRANSACTION'].flatMap((type) =>
    requestsOf(name, [`${chain} transactions`, ...parts], {
      type,
      parameters: { unsignedTransaction: hex, type: `TRANSACTION_TYPE_${chain.toUpperCase()}` },
      ...signer,
    }),
  )
}

const dataOf = {
  none: undefined,
  decoded: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [stranger, 5n] }),
  'with bad arguments': '0xa9059cbb01',
  unknown: '0x12345678',
  short: '0x01',
} as const
const typeOf = {
  legacy: { type: 'legacy', chainId: 1, gasPrice: 1n },
  'legacy without a chain': { type: 'legacy', gasPrice: 1n },
  'type 1': { type: 'eip2930', chainId: 137, gasPrice: 1n, accessList: [] },
  'type 2': { type: 'eip1559', chainId: 1, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
  'type 3': {
    ...{ type: 'eip4844', chainId: 1, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 3n },
    blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
  },
  'type 4': {
    ...{ type: 'eip7702', chainId: 1, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
    authorizationList: [{ address: token, chainId: 1, nonce: 0, yParity: 0, r: '0x01', s: '0x02' }],
  },
} as const
const ofType = 'Ethereum transactions of a type without the field'
const withoutData = 'Ethereum transactions without data'
const unknownCalls = 'Ethereum calls that no uploaded interface decodes with that name'

const ethereum = Object.entries(typeOf).flatMap(([typeName, type], index) =>
  Object.entries(dataOf).flatMap(([dataName, data]) =>
    [token, stranger].flatMap((to) =>
      transactions(
        `Ethereum ${typeName}, data ${dataName}, to ${to}`,
        [ofType, data === undefined ? withoutData : unknownCalls],
        {
          chain: 'Ethereum',
          hex: serializeTransaction({ ...type, nonce: index, gas: 21_000n, to, value: 6n, data: data as Hex } as never),
        },
      ),
    ),
  ),
)

const key = (index: number) => new PublicKey(new Uint8Array(32).fill(index))
const payer = new PublicKey(ed)
const table = new AddressLookupTableAccount({
  key: key(6),
  state: { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses: [key(2)] },
})
const call = (programId: PublicKey, keys: readonly PublicKey[], data: readonly number[]) =>
  new TransactionInstruction({
    programId,
    keys: keys.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    data: Buffer.from(data),
  })
const five = [5, 0, 0, 0, 0, 0, 0, 0]
const tokens = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const pay = call(program, [key(2)], [7, ...five])
const lamports = SystemProgram.transfer({ fromPubkey: payer, toPubkey: key(2), lamports: 5 })
const bare = call(tokens, [key(3), key(2), payer], [3, ...five])
const checked = call(tokens, [key(3), key(4), key(2), payer], [12, ...five, 6])
const closing = call(tokens, [key(3), key(2), payer], [9])
const undecoded = 'Solana transactions with instructions that no uploaded interface decodes with that name'

const solana = (
  [
    ['a transfer', [lamports]],
    ['a decoded call', [pay]],
    ['a decoded call and another', [pay, lamports]],
    ['a call that the interface of its program does not name', [call(program, [key(2)], [9])]],
    ['a token transfer', [bare]],
    ['a token transfer with its mint', [checked]],
    ['both token transfers', [checked, bare]],
    ['the end of a token account', [closing]],
  ] as const
).flatMap(([name, instructions]) =>
  [[], [table]].flatMap((tables) => {
    const recentBlockhash = key(9).toBase58()
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions: [...instructions] })
    const bytes = new VersionedTransaction(message.compileToV0Message(tables)).serialize()
    const hex = Buffer.from(bytes).toString('hex')
    return transactions(`Solana ${name}`, [undecoded], { chain: 'Solana', hex, curve: 'CURVE_ED25519' })
  }),
)

const tronAddress = TronWeb.address.fromHex(`41${'ab'.repeat(20)}`)
const owner_address = tronAddress
const permission = {
  type: 'Owner',
  id: 0,
  permission_name: 'o',
  threshold: 1,
  keys: [{ address: tronAddress, weight: 1 }],
}
const tronContracts: Readonly<Record<string, object>> = {
  TransferContract: { owner_address, to_address: tronAddress, amount: 5 },
  TriggerSmartContract: { owner_address, contract_address: tronAddress, call_value: 5, data: 'ab' },
  AccountPermissionUpdateContract: { owner_address, actives: [{ ...permission, type: 'Active', operations: 'ff' }] },
  'AccountPermissionUpdateContract ': { owner_address, owner: permission, witness: permission, actives: [] },
  FreezeBalanceV2Contract: { owner_address, frozen_balance: 5, resource: 'ENERGY' },
  UnfreezeBalanceV2Contract: { owner_address, unfreeze_balance: 5, resource: 'ENERGY' },
  DelegateResourceContract: { owner_address, balance: 5, receiver_address: tronAddress, lock: true },
  UnDelegateResourceContract: { owner_address, balance: 5, receiver_address: tronAddress },
}

const tron = Object.entries(tronContracts).flatMap(([name, value]) => {
  const contract = [{ type: name.trim(), parameter: { value, type_url: '' } }]
  const raw_data = {
    contract,
    ref_block_bytes: '0102',
    ref_block_hash: '0102030405060708',
    expiration: 2,
    timestamp: 1,
  }
  const transaction = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
  const hex = utils.transaction.txPbToRawDataHex(transaction).toLowerCase()
  const part = name.startsWith('AccountPermission')
    ? 'Tron permission updates that leave this permission as it is'
    : 'Tron contracts of a type without the field'
  return transactions(`Tron ${name}`, [part], { chain: 'Tron', hex })
})

const bitcoin = [1, 2].flatMap((inputs) => {
  const { output: script } = payments.p2wpkh({ pubkey: secp })
  if (script === undefined) throw new Error('a public key has a script')
  const psbt = new Psbt()
  for (let index = 0; index < inputs; index += 1) {
    psbt.addInput({ hash: new Uint8Array(32).fill(7), index, witnessUtxo: { script, value: 1_000n } })
  }
  psbt.addOutput({ script, value: 900n })
  const hex = Buffer.from(psbt.toBuffer()).toString('hex')
  return transactions(`Bitcoin with ${inputs} inputs`, [], { chain: 'Bitcoin', hex })
})

export const realRequests: readonly SigningRequest[] = [...allPayloads, ...ethereum, ...solana, ...tron, ...bitcoin]
