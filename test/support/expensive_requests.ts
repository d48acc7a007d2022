import { randomBytes } from 'node:crypto'
import { Psbt, Transaction } from 'bitcoinjs-lib'
import { parseEther, serializeTransaction, toFunctionSelector } from 'viem'
import { prepareBitcoinjs } from './bitcoinjs.ts'
import {
  legacyPreimage,
  longAccessList,
  manyAuthorizations,
  manyBlobs,
  psbtOfLargePrevious,
  psbtOfManyEntries,
  psbtOfManyOutputs,
  tronPermissions,
} from './large_transactions.ts'
import { newPasskey, registrationOf } from './passkeys.ts'
import { generateApiKey } from './stamping.ts'

/** The most expensive requests that are legal, of every kind that is known. */
export type ExpensiveRequest = {
  readonly what: string
  readonly kind: 'submit' | 'query'
  readonly name: string
  /** Parameters for the `index`th request: those that make records need new names. */
  readonly parameters: (index: number) => Readonly<Record<string, unknown>>
  /** It is too large, and is refused for that. */
  readonly isRefused?: true
}

type Organization = {
  /** The one result of an activity, which must succeed. */
  done(name: string, parameters: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
}

const repeated = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Fills an organization with what makes requests expensive, and returns the requests. */
export async function prepareExpensiveRequests(organization: Organization): Promise<readonly ExpensiveRequest[]> {
  prepareBitcoinjs()
  const account = (addressFormat: string, index: number) => ({
    curve: addressFormat === 'ADDRESS_FORMAT_SOLANA' ? 'CURVE_ED25519' : 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: addressFormat === 'ADDRESS_FORMAT_SOLANA' ? `m/44'/501'/${index}'` : `m/44'/0'/0'/0/${index}`,
    addressFormat,
  })
  const formats = ['ETHEREUM', 'BITCOIN_MAINNET_P2TR', 'BITCOIN_MAINNET_P2PKH', 'SOLANA', 'TRON']
  const wallet = await organization.done('create_wallet', {
    walletName: 'expensive',
    accounts: formats.map((format) => account(`ADDRESS_FORMAT_${format}`, 0)),
  })
  const [ethereum, taproot, legacy, solana, tron] = wallet.addresses as readonly string[]
  const psbts = [taprootPsbt(String(taproot)), legacyPsbt(String(legacy)), outputsPsbt(String(taproot))]
  const contract = `0x${'ab'.repeat(20)}`
  for (let index = 0; index < 8; index += 1) {
    await organization.done('create_smart_contract_interface', {
      smartContractAddress: contract,
      smartContractInterface: largestAbi(index),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label: `abi ${index}`,
    })
  }
  // Few enough that a busy machine answers in time. A step is about one of them.
  await organization.done('create_policies', { policies: expensiveDenials(12) })
  const hex = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' }
  const text = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' }
  const typed = { encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' }
  const transaction = (
    what: string,
    signWith: unknown,
    unsignedTransaction: string,
    type: string,
  ): ExpensiveRequest => ({
    what,
    kind: 'submit',
    name: 'sign_transaction',
    parameters: () => ({ signWith, unsignedTransaction, type }),
  })
  const rootUsers = repeated(100, newUser)
  const abi = largestAbi(0)
  const typedData = largestTypedData(4_990)
  const largePayloads = {
    preimage: legacyPreimage(11_000),
    accessList: longAccessList(22_000),
    eip712: repeated(100, () => largestTypedData(45)),
    hex: repeated(100, () => randomBytes(5_000).toString('hex')),
  }
  return [
    transaction('PSBT of 500 Taproot inputs', taproot, psbts[0] ?? '', 'TRANSACTION_TYPE_BITCOIN'),
    transaction('PSBT of 500 legacy inputs', legacy, psbts[1] ?? '', 'TRANSACTION_TYPE_BITCOIN'),
    transaction('PSBT of 2,500 outputs', taproot, psbts[2] ?? '', 'TRANSACTION_TYPE_BITCOIN'),
    transaction('8,000 addresses of an access list', ethereum, longAccessList(8_000), 'TRANSACTION_TYPE_ETHEREUM'),
    ...largeTransactions({ ethereum, taproot, legacy, tron }).map(
      ([what, signWith, unsignedTransaction, type]): ExpensiveRequest =>
        transaction(what, signWith, unsignedTransaction, `TRANSACTION_TYPE_${type}`),
    ),
    ...refusedTransactions({ ethereum, taproot, legacy, tron }).map(
      ([what, signWith, unsignedTransaction, type]): ExpensiveRequest => ({
        ...transaction(what, signWith, unsignedTransaction, `TRANSACTION_TYPE_${type}`),
        isRefused: true,
      }),
    ),
    {
      what: 'bytes that Bitcoin hashes for one input of a transaction with 11,000 outputs',
      kind: 'submit',
      name: 'sign_raw_payload',
      parameters: () => ({ ...hex, signWith: legacy, payload: largePayloads.preimage }),
    },
    {
      what: 'bytes of an access list',
      kind: 'submit',
      name: 'sign_raw_payload',
      parameters: () => ({
        ...hex,
        signWith: ethereum,
        payload: largePayloads.accessList,
        hashFunction: text.hashFunction,
      }),
    },
    transaction('call with the largest arguments', ethereum, largestCall(contract), 'TRANSACTION_TYPE_ETHEREUM'),
    {
      what: '100 payloads of 5 kB',
      kind: 'submit',
      name: 'sign_raw_payloads',
      parameters: () => ({ signWith: ethereum, payloads: largePayloads.hex, ...hex }),
    },
    {
      what: '100 payloads for Taproot',
      kind: 'submit',
      name: 'sign_raw_payloads',
      parameters: () => ({ signWith: taproot, payloads: largePayloads.hex, ...hex }),
    },
    {
      what: '100 payloads for Ed25519',
      kind: 'submit',
      name: 'sign_raw_payloads',
      parameters: () => ({
        signWith: solana,
        payloads: largePayloads.hex,
        ...hex,
        hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE',
      }),
    },
    {
      what: '100 payloads of typed data',
      kind: 'submit',
      name: 'sign_raw_payloads',
      parameters: () => ({ signWith: ethereum, payloads: largePayloads.eip712, ...typed }),
    },
    {
      what: 'largest typed data',
      kind: 'submit',
      name: 'sign_raw_payload',
      parameters: () => ({ signWith: ethereum, payload: typedData, ...typed }),
    },
    {
      what: 'typed data of one long text',
      kind: 'submit',
      name: 'sign_raw_payload',
      parameters: () => ({ signWith: ethereum, payload: longTextTypedData(900_000), ...typed }),
    },
    ...longTexts.map(
      ([what, payload]): ExpensiveRequest => ({
        what,
        kind: 'submit',
        name: 'sign_raw_payload',
        parameters: () => ({ ...text, signWith: ethereum, payload }),
      }),
    ),
    {
      what: 'bytes of very many empty lists',
      kind: 'submit',
      name: 'sign_raw_payload',
      parameters: () => ({ ...hex, signWith: ethereum, payload: emptyLists(480_000), hashFunction: text.hashFunction }),
    },
    {
      what: 'typed data of many texts',
      kind: 'submit',
      name: 'sign_raw_payload',
      parameters: () => ({
        ...typed,
        signWith: ethereum,
        payload: typedTexts(repeated(2_000, () => 'а\ufdfab '.repeat(30))),
      }),
    },
    {
      what: 'typed data of a text of marks',
      kind: 'submit',
      name: 'sign_raw_payload',
      parameters: () => ({ ...typed, signWith: ethereum, payload: typedTexts([manyMarks, '\\'.repeat(20_000)]) }),
    },
    {
      what: 'largest ABI',
      kind: 'submit',
      name: 'create_smart_contract_interface',
      parameters: (index) => ({
        smartContractAddress: `0x${index.toString(16).padStart(40, '0')}`,
        smartContractInterface: abi,
        type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
        label: `abi ${index}`,
      }),
    },
    {
      what: 'largest ABI of a contract that has others',
      kind: 'submit',
      name: 'create_smart_contract_interface',
      parameters: (index) => ({
        smartContractAddress: contract,
        smartContractInterface: abi,
        type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
        label: `another abi ${index}`,
      }),
    },
    {
      what: 'sub-organization with most users',
      kind: 'submit',
      name: 'create_sub_organization',
      parameters: (index) => ({
        subOrganizationName: `sub ${index}`,
        rootUsers,
        rootQuorumThreshold: 1,
      }),
    },
    {
      what: '1,000 Taproot accounts',
      kind: 'submit',
      name: 'create_wallet',
      parameters: (index) => ({
        walletName: `many ${index}`,
        accounts: repeated(1_000, (at) => account('ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', at)),
      }),
    },
    {
      what: '100 private keys of most addresses',
      kind: 'submit',
      name: 'create_private_keys',
      parameters: (index) => ({
        privateKeys: repeated(100, (at) => ({
          privateKeyName: `key ${index} ${at}`,
          curve: 'CURVE_SECP256K1',
          privateKeyTags: [],
          addressFormats: ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST'].flatMap((network) =>
            ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'].map((kind) => `ADDRESS_FORMAT_BITCOIN_${network}_${kind}`),
          ),
        })),
      }),
    },
    {
      what: 'policies with the longest conditions',
      kind: 'submit',
      name: 'create_policies',
      parameters: (index) => ({
        policies: repeated(20, (at) => ({
          policyName: `p ${index} ${at}`,
          effect: 'EFFECT_DENY',
          condition: heavyCondition(at),
          notes: '',
        })),
      }),
    },
    ...[nestedTests(), testsBeside()].map((condition, at) => ({
      what: `policies of 15 any ${at === 0 ? 'within' : 'beside'} one another beside 10 all`,
      kind: 'submit' as const,
      name: 'create_policy',
      parameters: (index: number) => ({
        policyName: `tests ${at} ${index}`,
        effect: 'EFFECT_ALLOW',
        condition: `${condition} && wallet.label != '${index}'`,
        notes: '',
      }),
    })),
    {
      what: 'denial by the most levels of ways',
      kind: 'submit',
      name: 'create_policy',
      parameters: (index) => ({
        policyName: `p ${index}`,
        effect: 'EFFECT_DENY',
        condition: nestedCondition(index),
        notes: '',
      }),
    },
    ...judgedLong.map(([what, kind, conditionOf]) => ({
      what: `policies of ${what}`,
      kind: 'submit' as const,
      name: 'create_policy',
      parameters: (index: number) => denialBy(kind, conditionOf(index), `${what} ${index}`),
    })),
    ...judgedLong.map(
      ([what, kind, conditionOf]): ExpensiveRequest => ({
        what: `20 policies of ${what}, the last of them empty`,
        kind: 'submit',
        name: 'create_policies',
        parameters: (index) => ({
          policies: [
            ...repeated(19, (at) => denialBy(kind, conditionOf(20 * index + at), `of 20 ${what} ${index} ${at}`)),
            denialBy('condition', 'false', `last of ${what} ${index}`),
          ],
        }),
        isRefused: true,
      }),
    ),
    {
      what: 'simulation of the PSBT with 2,500 outputs',
      kind: 'query',
      name: 'simulate',
      parameters: () => ({
        activity: {
          type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
          parameters: { signWith: taproot, unsignedTransaction: psbts[2], type: 'TRANSACTION_TYPE_BITCOIN' },
        },
        policy: {
          effect: 'EFFECT_ALLOW',
          condition: 'bitcoin.tx.outputs.all(o, bitcoin.tx.inputs.all(i, i.vout == 0))',
        },
      }),
    },
    {
      // Few enough that a busy machine answers in time. A step is about one of them.
      what: 'simulation of 8 past activities',
      kind: 'query',
      name: 'simulate',
      parameters: () => ({
        past: { limit: '8' },
        policy: { effect: 'EFFECT_ALLOW', condition: heavyCondition(7) },
      }),
    },
    {
      what: 'check of denials about what is signed',
      kind: 'query',
      name: 'check_policies',
      parameters: () => ({}),
    },
    {
      what: '100 activities',
      kind: 'query',
      name: 'list_activities',
      parameters: () => ({ paginationOptions: { limit: '100' } }),
    },
  ]
}

/** In another order than that of a normal form. */
const manyMarks = `a${'\u0300'.repeat(10_000)}${'\u0316'.repeat(10_000)}`

/** What is read of a text of any length. */
const longTexts = [
  ['a text of marks', manyMarks],
  ['a text of backslashes', `a${'\\'.repeat(20_000)}`],
  ['a text of characters that stand for many', `abc ${'\ufdfa '.repeat(250_000)}`],
  ['a text of names', `{${repeated(20_000, () => '"amountsfeefeesamountsfeefeesx":1').join()}}`],
  ['a text of two alphabets', '\u0430a'.repeat(300_000)],
  ['a text of digits', '0x12 '.repeat(180_000)],
] as const

/** EIP-1559 names its list of fields so, in hex. */
function emptyLists(count: number): string {
  return `02fa${count.toString(16).padStart(6, '0')}${'c0'.repeat(count)}`
}

function typedTexts(texts: readonly string[]): string {
  return JSON.stringify({
    types: { EIP712Domain: [], Item: [{ name: 'a', type: 'string[]' }] },
    primaryType: 'Item',
    domain: {},
    message: { a: texts },
  })
}

/** Denials for which the check of policies takes longest. At most 20 are made by one request. */
export function expensiveDenials(count: number, batch = 0) {
  const list = `[${repeated(30, () => '1').join(',')}]`
  const clause = `${list}.any(x, ${list}.any(y, ${list}.any(z, x != y || y != z)))`
  return repeated(count, (index) => ({
    policyName: `denial ${batch} ${index}`,
    effect: 'EFFECT_DENY',
    condition: [
      `eth.tx.to == '0x${'ab'.repeat(20)}'`,
      `wallet.label != '${batch} ${index}'`,
      ...repeated(14, () => clause),
    ].join(' || '),
    notes: '',
  }))
}

/** About 80,000 of the 100,000 steps that a condition may take. */
export function heavyCondition(salt: number): string {
  const items = (count: number) => `[${repeated(count, (index) => (index === 0 ? salt : index % 10)).join(',')}]`
  return `${items(280)}.all(x, ${items(280)}.any(y, x == y))`
}

/** Whether they are ever true takes longest to judge of new denials. */
const judgedLong = [
  ['64 ways and 68 orders', 'condition', manyWays],
  ['windows of two time zones', 'time', windowsOfTwoZones],
  ['270 numbers that differ', 'condition', (salt: number) => numbersBeside(salt, '!=', '&&')],
  ['one of 270 numbers', 'condition', (salt: number) => numbersBeside(salt, '==', '||')],
  ['an item beside all items', 'condition', itemsBesideAll],
] as const

function denialBy(kind: 'condition' | 'time', expression: string, policyName: string) {
  return { policyName, effect: 'EFFECT_DENY', notes: '', [kind]: expression }
}

/** The orders stand so that a circle among them is found last. */
function manyWays(salt: number): string {
  const amount = (index: number) => `solana.tx.transfers[${index}].amount`
  const branches = repeated(6, (index) => `(${amount(0)}<${amount(68)}||${amount(0)}>=${index + salt})`)
  const orders = repeated(68, (index) => `${amount(68 - index)}<${amount(67 - index)}`)
  return [...branches, ...orders].join('&&')
}

function windowsOfTwoZones(salt: number): string {
  const window = (index: number) => {
    const cron = `${index} ${(index + salt) % 24} ${index + 1},${index + 9} * 1`
    return `CronSpan('${cron}', '6d23h', '${index % 2 === 0 ? 'Asia/Tokyo' : 'Europe/Berlin'}')`
  }
  return repeated(6, window).join(' || ')
}

function numbersBeside(salt: number, comparison: '==' | '!=', operator: '&&' | '||'): string {
  return repeated(270, (index) => `eth.tx.gas${comparison}${salt + index}`).join(operator)
}

function itemsBesideAll(salt: number): string {
  const items = repeated(48, (index) => `bitcoin.tx.outputs.any(o,o.value==${salt + index})`)
  const all = repeated(46, (index) => `bitcoin.tx.outputs.all(o,o.value!=${1_000_000 + index})`)
  return [...items, ...all].join('&&')
}

const transfers = 'solana.tx.spl_transfers'
const testsOfAll = repeated(10, (index) => `${transfers}.all(a, a.to != ${transfers}[${index}].to)`).join(' && ')

/** Each test within the test of another one, so that it is asked about each item for each item. */
function nestedTests(): string {
  const opening = repeated(15, (index) => `${transfers}.any(t${index}, `).join('')
  const body = repeated(14, (index) => `t${index}.to != t${index + 1}.to`).join(' && ')
  return `${opening}${body}${')'.repeat(15)} && ${testsOfAll}`
}

function testsBeside(): string {
  const tests = repeated(15, (index) => `${transfers}.any(t, t.to != ${transfers}[${index}].to)`)
  return `${tests.join(' && ')} && ${testsOfAll}`
}

/** A condition of nearly the greatest length: an `||` of many comparisons within 40 others. */
function nestedCondition(salt: number): string {
  const levels = repeated(40, () => "activity.action != 'CREATE' && (eth.tx.gas == 1 || ")
  const branches = repeated(120, (index) => `eth.tx.value > ${salt * 120 + index}`)
  return `${levels.join('')}${branches.join(' || ')}${')'.repeat(levels.length)}`
}

function newUser(index: number) {
  const apiKeys = repeated(3, (at) => ({
    apiKeyName: `key ${at}`,
    publicKey: generateApiKey().publicKey,
    curveType: 'API_KEY_CURVE_P256',
  }))
  const authenticators = repeated(8, (at) => {
    const { challenge, attestation } = registrationOf(newPasskey('ES256'))
    const transports = ['AUTHENTICATOR_TRANSPORT_INTERNAL']
    return { authenticatorName: `passkey ${at}`, challenge, attestation: { ...attestation, transports } }
  })
  return { userName: `user ${index}`, apiKeys, authenticators, oauthProviders: [] }
}

function taprootPsbt(address: string): string {
  const psbt = new Psbt()
  const script = scriptOf(address)
  for (let index = 0; index < 500; index += 1) {
    psbt.addInput({ hash: randomBytes(32), index, witnessUtxo: { script, value: 1_000n } })
  }
  return psbt.addOutput({ script, value: 900n }).toHex()
}

function legacyPsbt(address: string): string {
  const script = scriptOf(address)
  const psbt = new Psbt()
  for (let index = 0; index < 500; index += 1) {
    const previous = new Transaction()
    previous.addInput(randomBytes(32), 0)
    previous.addOutput(script, 1_000n)
    psbt.addInput({ hash: previous.getId(), index: 0, nonWitnessUtxo: previous.toBuffer() })
  }
  for (let index = 0; index < 2_500; index += 1) psbt.addOutput({ script, value: 1n })
  return psbt.toHex()
}

function outputsPsbt(address: string): string {
  const script = scriptOf(address)
  const psbt = new Psbt().addInput({ hash: randomBytes(32), index: 0, witnessUtxo: { script, value: 1_000_000n } })
  for (let index = 0; index < 2_500; index += 1) psbt.addOutput({ script, value: 1n })
  return psbt.toHex()
}

function scriptOf(address: string): Uint8Array {
  return new Psbt().addOutput({ address, value: 1n }).txOutputs[0]?.script ?? new Uint8Array()
}

/** Near 400,000 characters: many functions with many parameters. */
function largestAbi(salt: number): string {
  const entries: object[] = [
    { type: 'function', name: 'all', inputs: [{ name: 'values', type: 'uint256[]' }], outputs: [] },
  ]
  for (let index = 0; index < 4_900; index += 1) {
    entries.push({ type: 'function', name: `f${salt}_${index}`, inputs: [{ name: 'a', type: 'uint8' }] })
  }
  return JSON.stringify(entries)
}

function largestCall(to: string): string {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const count = 4_990
  const selector = toFunctionSelector('all(uint256[])').slice(2)
  const data = `0x${selector}${word(32)}${word(count)}${word(7).repeat(count)}`
  return serializeTransaction({
    type: 'eip1559',
    chainId: 1,
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    to: to as `0x${string}`,
    value: parseEther('1'),
    data: data as `0x${string}`,
  }).slice(2)
}

function largestTypedData(values: number): string {
  return JSON.stringify({
    types: { EIP712Domain: [], Item: [{ name: 'a', type: 'uint256[]' }] },
    primaryType: 'Item',
    domain: {},
    message: { a: repeated(values, () => `0x${randomBytes(32).toString('hex')}`) },
  })
}

type Addresses = Readonly<Record<'ethereum' | 'taproot' | 'legacy' | 'tron', string | undefined>>
type LargeTransaction = readonly [
  what: string,
  signWith: string | undefined,
  unsignedTransaction: string,
  type: 'BITCOIN' | 'ETHEREUM' | 'TRON',
]

function largeTransactions({ ethereum, taproot, legacy, tron }: Addresses): readonly LargeTransaction[] {
  const [ofTaproot, ofLegacy] = [scriptOf(String(taproot)), scriptOf(String(legacy))]
  const owner = Buffer.concat([Buffer.of(0x41), Buffer.alloc(20, 7)])
  return [
    ['PSBT with a previous transaction of 50,000 outputs', legacy, psbtOfLargePrevious(ofLegacy, 50_000), 'BITCOIN'],
    ['PSBT of 19,990 entries', taproot, psbtOfManyEntries(ofTaproot, 19_990), 'BITCOIN'],
    ['22,000 addresses of an access list', ethereum, longAccessList(22_000), 'ETHEREUM'],
    ['15,000 keys of an access list', ethereum, longAccessList(1, 15_000), 'ETHEREUM'],
    ['1,000 authorizations', ethereum, manyAuthorizations(1_000), 'ETHEREUM'],
    ['1,000 blobs', ethereum, manyBlobs(1_000), 'ETHEREUM'],
    ['9 permissions of 10 keys', tron, tronPermissions(owner, 9, 10), 'TRON'],
  ]
}

function refusedTransactions({ ethereum, taproot, tron }: Addresses): readonly LargeTransaction[] {
  const owner = Buffer.concat([Buffer.of(0x41), Buffer.alloc(20, 7)])
  return [
    ['PSBT of 50,000 outputs', taproot, psbtOfManyOutputs(50_000), 'BITCOIN'],
    ['PSBT of 80,000 entries', taproot, psbtOfManyEntries(scriptOf(String(taproot)), 80_000), 'BITCOIN'],
    ['9,900 authorizations', ethereum, manyAuthorizations(9_900), 'ETHEREUM'],
    ['15,000 blobs', ethereum, manyBlobs(15_000), 'ETHEREUM'],
    ['100 permissions of 100 keys', tron, tronPermissions(owner, 100, 100), 'TRON'],
  ]
}

function longTextTypedData(characters: number): string {
  return JSON.stringify({
    types: { EIP712Domain: [], Item: [{ name: 'a', type: 'string' }] },
    primaryType: 'Item',
    domain: {},
    message: { a: 'x'.repeat(characters) },
  })
}
