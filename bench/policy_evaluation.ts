import { createECDH, generateKeyPairSync, sign, verify } from 'node:crypto'
import { encodeFunctionData, erc20Abi, type Hex, parseGwei, serializeTransaction } from 'viem'
import { activityFacts } from '../src/contract/activity_facts.ts'
import type { ActivityOperation } from '../src/contract/define.ts'
import { asId, type Id } from '../src/contract/fields/ids.ts'
import type { RecordKind, RecordTypes, User } from '../src/contract/records/records.ts'
import { nothingLogged, readerOf, recordKey } from '../src/deciding/organization/organization_reader.ts'
import { rule } from '../src/deciding/rules/rules.ts'
import signRawPayload from '../src/operations/signing/sign_raw_payload.ts'
import signTransaction from '../src/operations/signing/sign_transaction.ts'
import { finished } from '../src/protocol/tools/steps.ts'
import type { JsonObject } from '../src/protocol/wire/json.ts'
import type { Organization } from '../src/vault/state/organization.ts'
import { payees, token, typicalPolicies } from './policy_set.ts'

/** The cost of one activity in the vault's own code: medians, in microseconds. */
export type Evaluated = {
  readonly activity: string
  /** For the input, the outcome of each policy in it, and the decision. */
  readonly ruleMicros: number
  /** For the facts of conditions, which come first: reads a transaction, and its call with the contract's ABI. */
  readonly factsMicros: number
}

/** Microseconds for one P-256 verification in the vault's thread, as a measure of the machine. */
export async function measureVerification(): Promise<number> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = Buffer.alloc(300, 'a')
  const signature = sign('sha256', body, privateKey)
  return medianMicros(() => verify('sha256', body, publicKey, signature))
}

const warmUpRuns = 5_000
const runs = 20_000

/** Measures the activities that the policies of `bench/policy_set.ts` let a trader sign. */
export async function measureEvaluation(): Promise<readonly Evaluated[]> {
  const payload = { payload: '5a'.repeat(32), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' }
  const transaction = { unsignedTransaction: transferOfToken(), type: 'TRANSACTION_TYPE_ETHEREUM' }
  return [
    await measure(signRawPayload, { signWith, ...payload, hashFunction: 'HASH_FUNCTION_NO_OP' }),
    await measure(signTransaction, { signWith, ...transaction }),
  ]
}

async function measure(operation: ActivityOperation, parameters: JsonObject): Promise<Evaluated> {
  const bound = operation.types[0]?.read(parameters)
  if (bound === undefined) throw new Error(`${operation.name} has a type`)
  const { type } = bound
  const contractInterfaces = () => [contractInterface]
  const factsOf = () => ({
    ...finished(bound.facts({ organization: reader, contractInterfaces })).keywords,
    activity: activityFacts({ type, policy: operation.policy, parameters }),
  })
  const facts = factsOf()
  const asked = {
    organization,
    bound,
    submitterId: trader.userId,
    spent: () => undefined,
    controls: () => ({ struct: {}, textOf: () => undefined }),
    smartContractInterfaceIds: () => [],
    nowMs,
    pause: () => undefined,
  }
  const approvals = [{ user: trader, publicKey }]
  const ask = () => rule({ ...asked, facts: () => facts, approvals, allApprovals: undefined })
  const { kind, evaluations } = await ask()
  if (kind !== 'allow' || evaluations.length !== policies.length) throw new Error(`${operation.name}: ${kind}`)
  return { activity: operation.name, ruleMicros: await medianMicros(ask), factsMicros: await medianMicros(factsOf) }
}

async function medianMicros(run: () => unknown): Promise<number> {
  const tookMs = new Float64Array(runs)
  for (let index = -warmUpRuns; index < runs; index += 1) {
    const startMs = performance.now()
    await run()
    if (index >= 0) tookMs[index] = performance.now() - startMs
  }
  return (tookMs.sort()[runs / 2] ?? Number.NaN) * 1000
}

/** A Monday, in the business hours of the policies, so that no figure depends on the time of the run. */
const nowMs = Date.UTC(2026, 6, 6, 12)
const times = { createdAtMs: 0, updatedAtMs: 0 }
const publicKey = createECDH('secp256k1').generateKeys('hex', 'compressed')
const [rootTagId, tradersTagId, treasuryTagId] = [idOf(1), idOf(2), idOf(3)]
const root = userOf(asId(idOf(4)), asId(rootTagId))
const trader = userOf(asId(idOf(5)), asId(tradersTagId))
const treasurer = userOf(asId(idOf(6)), asId(treasuryTagId))
const wallet = { ...times, walletId: idOf(7), walletName: 'Hot', exported: false, imported: false }
const signWith = '0x52908400098527886E0F7030069857D2E4169EE7'
const account = {
  ...times,
  walletAccountId: idOf(8),
  walletId: wallet.walletId,
  curve: 'CURVE_SECP256K1',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  address: signWith,
  publicKey,
} as const
const policies = typicalPolicies({
  ...{ traderId: trader.userId, treasurerId: treasurer.userId, walletId: wallet.walletId },
  ...{ tradersTagId, treasuryTagId },
}).map((policy, index) => ({ ...policy, ...times, policyId: idOf(100 + index), notes: '' }))
const contractInterface = {
  ...times,
  smartContractInterfaceId: idOf(9),
  smartContractAddress: token,
  smartContractInterface: JSON.stringify(erc20Abi),
  type: 'ETHEREUM',
  label: 'token',
  notes: '',
} as const

/** The organization's records, in memory as the vault keeps them once they were read. */
const listed: { readonly [K in RecordKind]?: readonly RecordTypes[K][] } = {
  policy: policies,
  user: [root, trader, treasurer],
  smart_contract_interface: [contractInterface],
}
const organization: Organization = {
  head: {
    ...{ ...times, organizationId: idOf(10), organizationName: 'Bench', parentId: undefined, version: 1 },
    ...{ rootQuorum: { threshold: 1, userIds: [root.userId] }, listed: new Map(), removed: new Map() },
  },
  allListed: (kind) => listed[kind] ?? [],
  ...{ listed: notAsked, isKnown: notAsked, isListed: notAsked, askFor: notAsked, isLive: notAsked },
  ...{ parent: notAsked, unsealRow: notAsked, unlisted: notAsked, sealedBytes: notAsked },
}
const reader = readerOf({
  own: {
    organization,
    resolved: {
      records: new Map<string, RecordTypes[RecordKind]>([
        [recordKey('wallet', wallet.walletId), wallet],
        [recordKey('wallet_account', account.walletAccountId), account],
      ]),
      signers: new Map([
        [
          signWith,
          {
            ...{ kind: 'wallet_account', recordId: account.walletAccountId, curve: account.curve },
            ...{ publicKey: Buffer.from(publicKey, 'hex'), addressFormat: account.addressFormat, scheme: 'default' },
          } as const,
        ],
      ]),
      ...{ pages: new Map(), lookups: new Map(), activities: [], holders: [], deliveries: [], logged: nothingLogged },
    },
  },
  parent: undefined,
})

function notAsked(): never {
  throw new Error('rules are not asked for this')
}

function userOf(userId: Id, tagId: Id): User {
  const apiKey = { ...times, apiKeyId: userId, apiKeyName: 'key', publicKey, curveType: 'API_KEY_CURVE_P256' } as const
  return {
    ...times,
    userId,
    userName: 'User',
    apiKeys: [apiKey],
    authenticators: [],
    oauthProviders: [],
    userTags: [tagId],
  }
}

function idOf(number: number): string {
  return `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
}

/** A transfer of 2 tokens of 6 decimals, to an address to which policies let traders send. */
function transferOfToken(): string {
  const to = token as Hex
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [payees[10] as Hex, 2_000_000n] })
  const fees = { maxFeePerGas: parseGwei('30'), maxPriorityFeePerGas: parseGwei('1') }
  return serializeTransaction({ type: 'eip1559', chainId: 1, nonce: 7, to, data, gas: 65_000n, ...fees }).slice(2)
}
