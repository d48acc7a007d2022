import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedOperands, ofContent } from '../../../test/support/denial_conditions.ts'
import { generatedRuns } from '../../../test/support/generated_runs.ts'
import { longestStep } from '../../../test/support/longest_step.ts'
import { realRequests, type SigningRequest } from '../../../test/support/signing_facts.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import { finished, inSteps } from '../../protocol/tools/steps.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import {
  type CompiledExpression,
  compileCondition,
  compileExpressions,
  evaluateExpression,
  guardHolds,
  type Verdict,
} from '../decision/policy_expressions.ts'
import { isList, isMap, isStruct, type Struct, type Value, valueAt } from '../language/expression_values.ts'
import { addressTableLookup } from '../language/names/payload_types.ts'
import { print } from '../language/reading/print.ts'
import type { Environment } from '../language/running/evaluate.ts'
import { guarding } from '../language/running/guards.ts'
import { isUnreadable } from '../language/running/unreadable.ts'
import { alternativesOf } from './alternatives.ts'
import { knownValue } from './reads.ts'
import { signingRequests } from './signing_requests.ts'
import { type Unseen, unseenBy } from './unseen.ts'

const denialOf = (condition: string, given: Partial<{ consensus: string; time: string }> = {}): CompiledPolicy => ({
  policyId: condition,
  effect: 'EFFECT_DENY',
  ...compileExpressions({ condition, ...given }),
})
const unseenIn = (condition: string, others: readonly CompiledPolicy[] = []) =>
  finished(unseenBy(denialOf(condition), others))
const clausesOf = (condition: string) => unseenIn(condition).map(({ requests, clause }) => [requests, clause])

/** Why a second denial with a clause would be refused. */
const refusalsOf = (condition: string) =>
  unseenIn(condition).flatMap(({ clause }) => compileCondition(clause).neverEqual.map(({ reason }) => reason))

const environmentOf = ({ facts, isTransaction }: SigningRequest): Environment =>
  guarding({ keywords: facts, spent: () => (isTransaction ? 3n : undefined) })
/** Each item of a written list is compared with those of two others: 27,000 steps, in 320 characters. */
const expensive = (() => {
  const list = `[${Array(30).fill('1').join()}]`
  return `${list}.any(x, ${list}.any(y, ${list}.any(z, x != y || y != z)))`
})()

const payloadsAndOthers = ['raw payloads', 'Solana transactions', 'Tron transactions', 'Bitcoin transactions']
test.each([
  "!(activity.action == 'SIGN' && eth.tx.to in ['0x1f9090aae28b8a3dceadf281b0f12828e676c326'])",
  "!(activity.resource == 'PRIVATE_KEY' && eth.tx.value <= 1000)",
  "activity.action == 'SIGN' && !(true && eth.tx.chain_id == 1)",
  "!(eth.tx.chain_id == 1 || activity.action != 'SIGN')",
  "(activity.action == 'SIGN' && eth.tx.value <= 1000) == false",
  "!((activity.action == 'SIGN') == true && eth.tx.value <= 1000)",
])('an operand that has the same value for all signatures hides no gap: %s', (condition) => {
  expect(unseenIn(condition).map(({ requests }) => requests)).toEqual(expect.arrayContaining(payloadsAndOthers))
})

test.each([
  "!(activity.action == 'READ' && eth.tx.value <= 1000)",
  "!(activity.kind == 'SIGN_TRANSACTION' && eth.tx.value <= 1000)",
  "activity.action == 'SIGN' || eth.tx.value <= 1000",
])('an operand that decides for the other closes a gap: %s', (condition) => {
  expect(unseenIn(condition).map(({ requests }) => requests)).not.toContain('raw payloads')
})

test('requests that one kind of activity signs unseen are named with the kind', () => {
  const condition = "!(activity.kind != 'SIGN_RAW_PAYLOAD' && eth.tx.type == 'LEGACY')"
  expect(unseenIn(condition).map(({ requests }) => requests)).toContain(
    'raw payloads (SIGN_RAW_PAYLOADS of PAYLOAD_ENCODING_HEXADECIMAL, SIGN_RAW_PAYLOADS of PAYLOAD_ENCODING_TEXT_UTF8)',
  )
})

test.each([
  ".filter(t, t.token_mint == 'M').any(t, t.amount > 1000)",
  ".filter(t, t.token_mint == 'M')[0..2].any(t, t.amount > 1000)",
  ".filter(t, t.token_mint == 'M').filter(t, t.amount > 1000).any(t, true)",
  ".filter(t, t.amount > 1000).filter(t, t.token_mint == 'M').any(t, true)",
  ".filter(t, t.token_mint == 'M')[0].amount > 1000",
  ".filter(t, t.token_mint == 'M')[0].amount + 1 > 1000",
  ".filter(t, t.token_mint == 'M')[0].signers.contains('M')",
  ".filter(t, t.token_mint == 'M').count() > 0",
  ".filter(t, t.token_mint == 'M' || t.amount > 1000).any(t, t.amount > 1000)",
  ".filter(t, t.token_mint == 'M').all(t, t.amount < 1000)",
  ".filter(t, t.token_mint == 'M')[0].amount != 1000",
  ".filter(t, t.token_mint == 'M').count() == 0",
])('a filter by a mint leaves out no transfer that does not name it: %s', (rest) => {
  const condition = `activity.params.type == 'TRANSACTION_TYPE_SOLANA' && solana.tx.spl_transfers${rest.replaceAll('M', mint)}`
  expect(clausesOf(condition)).toEqual([])
  const transfers = [
    { from: 'a', to: 'b', amount: 5000n, token_mint: undefined, owner: 'c', signers: [mint], withheld_fee: 0n },
  ]
  const activity = { params: { type: 'TRANSACTION_TYPE_SOLANA' } }
  const keywords = { activity, solana: { tx: { spl_transfers: transfers } } }
  expect(guardHolds(compileCondition(condition), { keywords, guards: true })).toBe(true)
})

test('of a denial with many parts, at most 16 are looked at, and what is said of each is bounded', () => {
  const many = Array.from({ length: 300 }, (_, index) => `eth.tx.gas > ${index}`).join(' || ')
  const parts = alternativesOf(denialOf(many))
  expect(parts).toHaveLength(16)
  expect(parts.map(({ condition }) => condition?.text).join(' || ')).toBe(many)
  for (const { part = '' } of unseenIn(many)) expect(part.length).toBeLessThanOrEqual(501)
})

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

const filtered = 'solana.tx.instructions.filter(i, '
test.each([
  ["i.parsed_instruction_data.instruction_name == 'a').count() > 0", true],
  ["i.parsed_instruction_data.instruction_name == 'a').count() != 0", true],
  ["i.parsed_instruction_data.instruction_name == 'a')[0..3].any(i, true)", true],
  ["i.program_key != 'P').any(i, i.parsed_instruction_data.instruction_name == 'a')", true],
  ["i.parsed_instruction_data.instruction_name == 'a').count() == 0", false],
  ["i.parsed_instruction_data.instruction_name == 'a').count() < 3", false],
])('a filter by what no interface says is named where nothing gets through: %s', (rest, isNamed) => {
  const requests = unseenIn(`${filtered}${rest}`).map((one) => one.requests)
  const undecoded = 'Solana transactions with instructions that no uploaded interface decodes with that name'
  expect(requests.includes(undecoded)).toBe(isNamed)
})

test('a denial by a sum sees requests with one of its terms', () => {
  const ofContracts = unseenIn('tron.tx.contract.any(c, c.amount + c.call_value > 1000)')
  const types = ofContracts.map(({ requests }) => requests).filter((one) => one.startsWith('Tron contracts'))
  expect(types).toHaveLength(1)
  expect(types[0]).not.toMatch(/TransferContract|TriggerSmartContract/)
  expect(types[0]).toContain('FreezeBalanceV2Contract')
})

describe('takes no long step', () => {
  const cases: readonly (readonly [string, () => readonly [CompiledPolicy, readonly CompiledPolicy[]]])[] = [
    [
      'for a condition that takes many steps itself',
      () => [denialOf(`eth.tx.to == '0xab' || ${'!('.repeat(20)}${expensive}${')'.repeat(20)}`), []],
    ],
    [
      'for a condition with many parts that take many',
      () => [denialOf(`eth.tx.to == '0xab' || ${Array(25).fill(expensive).join(' || ')}`), []],
    ],
    [
      'for many other denials',
      () => [denialOf("eth.tx.to == '0xab'"), Array.from({ length: 99 }, () => denialOf(expensive))],
    ],
  ]
  // Code is compiled and memory collected at other moments in each run, so one of some runs has to do.
  test.each(cases)('%s', async (_what, make) => {
    let stepMs = Number.POSITIVE_INFINITY
    for (let run = 0; run < 5 && stepMs > 30; run += 1) {
      const [denial, others] = make()
      stepMs = Math.min(stepMs, await longestStep(() => inSteps(unseenBy(denial, others), () => setImmediate())))
    }
    expect(stepMs).toBeLessThanOrEqual(30)
  })
})

test('what takes many steps is evaluated once for a shape, since every denial is compared with every other one', () => {
  let reads = 0
  const known = {
    get activity() {
      reads += 1
      return { kind: 'SIGN_TRANSACTION' }
    },
  }
  const shape = { known, present: [], hides: [], lacks: [], nothing: [], spends: true }
  const many = `[${Array(60).fill('1').join()}].any(x, x == 1 && activity.kind == 'SIGN_TRANSACTION')`
  const { root } = compileCondition(many)
  expect([knownValue(root, shape), reads]).toEqual([true, 60])
  expect([knownValue(root, shape), reads]).toEqual([true, 60])
})

const compiled = new Map<string, CompiledExpression>()
function compiledOf(condition: string): CompiledExpression {
  const expression = compiled.get(condition) ?? compileCondition(condition)
  compiled.set(condition, expression)
  return expression
}
const verdictOf = (condition: string, request: SigningRequest): Verdict =>
  evaluateExpression(compiledOf(condition), environmentOf(request))
const denies = (condition: string, request: SigningRequest) =>
  guardHolds(compiledOf(condition), environmentOf(request)) === true

describe('a denial by the recipient of a transaction', () => {
  const condition = "eth.tx.to == '0xab'"

  test('does not see what is no transaction of Ethereum, each with a clause', () => {
    const encodings = "'PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8'"
    expect(clausesOf(condition)).toEqual([
      ['raw payloads', `activity.params.encoding in [${encodings}]`],
      ['several payloads in one request', "activity.kind == 'SIGN_RAW_PAYLOADS'"],
      ['typed data', "activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'"],
      ['authorizations of EIP-7702', "activity.params.encoding == 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'"],
      ['Solana transactions', "activity.params.type == 'TRANSACTION_TYPE_SOLANA'"],
      ['Tron transactions', "activity.params.type == 'TRANSACTION_TYPE_TRON'"],
      ['Bitcoin transactions', "activity.params.type == 'TRANSACTION_TYPE_BITCOIN'"],
    ])
    expect(new Set(unseenIn(condition).flatMap(({ missingFields }) => missingFields))).toEqual(new Set(['eth.tx.to']))
  })

  test('for one wallet is closed for that wallet only', () => {
    expect(refusalsOf(condition)).toEqual([])
    for (const [, clause] of clausesOf(`wallet.id == 'w1' && ${condition}`))
      expect(clause).toMatch(/ && wallet.id == 'w1'$/)
  })

  test('for all wallets but one does not see private keys', () => {
    expect(clausesOf(`wallet.id != 'w1' && ${condition}`)).toContainEqual([
      'Ethereum transactions, signed by a private key',
      `activity.params.type == 'TRANSACTION_TYPE_ETHEREUM' && private_key.id == private_key.id && ${condition}`,
    ])
  })

  test('and by a velocity control is closed for any value of the control', () => {
    expect(clausesOf(`!controls.daily && ${condition}`)).toEqual(clausesOf(condition))
  })

  test('that says which activities it is about, says so on purpose', () => {
    expect(clausesOf(`activity.params.type == 'TRANSACTION_TYPE_ETHEREUM' && ${condition}`)).toEqual([])
    expect(clausesOf(`activity.kind == 'SIGN_TRANSACTION' && ${condition}`).map(([requests]) => requests)).toEqual([
      'Solana transactions',
      'Tron transactions',
      'Bitcoin transactions',
    ])
  })
})

describe('a part of the transactions of a chain', () => {
  const ethereum = "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'"
  const tron = "activity.params.type == 'TRANSACTION_TYPE_TRON'"
  const noData = ['Ethereum transactions without data', `${ethereum} && eth.tx.data == '0x'`]
  const calls = (more = '') => [
    'Ethereum calls that no uploaded interface decodes with that name',
    `${ethereum} && eth.tx.data != '0x'${more}`,
  ]
  test.each([
    ["eth.tx.function_name == 'approve' && eth.tx.to == '0xab'", ethereum, [calls(" && eth.tx.to == '0xab'")]],
    // A call of no function that an interface declares is certainly not that one.
    ["eth.tx.function_name != 'transfer'", ethereum, [noData]],
    ["!(eth.tx.function_name in ['transfer', 'approve'])", ethereum, [noData]],
    ["!('transfer' in [eth.tx.function_name])", ethereum, [noData]],
    ["(eth.tx.function_name == 'approve' || eth.tx.to == '0xab')", ethereum, [calls()]],
    ["(eth.tx.function_name != 'approve' || eth.tx.to == '0xab')", ethereum, [noData]],
    // A slice beyond the end of the data is not that text, so it is denied.
    ["eth.tx.data[0..10] != '0xa9059cbb'", ethereum, []],
    ["(eth.tx.data[0..10] == '0xa9059cbb' || eth.tx.to == '0xab')", ethereum, []],
    // A transaction without a chain id is valid on every chain, so it may be on another one.
    ['eth.tx.chain_id != 1', ethereum, []],
    // One of an older type pays its price.
    ['eth.tx.max_fee_per_gas > 5', ethereum, []],
    [
      'eth.tx.max_fee_per_blob_gas > 5',
      ethereum,
      [
        [
          'Ethereum transactions of a type without the field (LEGACY, TYPE_1, TYPE_2, TYPE_4)',
          `${ethereum} && eth.tx.type in ['LEGACY', 'TYPE_1', 'TYPE_2', 'TYPE_4']`,
        ],
      ],
    ],
    ['eth.tx.value + eth.tx.max_fee_per_blob_gas > 5', ethereum, []],
    ["tron.tx.contract.any(c, c.to_address == 'T')", tron, []],
    [
      '(tron.tx.contract[0].lock == false || tron.tx.contract[0].lock_period < 5)',
      tron,
      [
        [
          'Tron contracts of a type without the field (TransferContract, TriggerSmartContract, AccountPermissionUpdateContract, FreezeBalanceV2Contract, UnfreezeBalanceV2Contract, UnDelegateResourceContract)',
          `${tron} && tron.tx.contract.any(c, c.type in ['TransferContract', 'TriggerSmartContract', 'AccountPermissionUpdateContract', 'FreezeBalanceV2Contract', 'UnfreezeBalanceV2Contract', 'UnDelegateResourceContract'])`,
        ],
      ],
    ],
  ])('%s', (condition, chain, clauses) => {
    expect(clausesOf(`${chain} && ${condition}`)).toEqual(clauses)
  })
})

test.each([
  ['', 'says nothing'],
  ["activity.type == 'ACTIVITY_TYPE_CREATE_USERS_V3'", 'is about other activities'],
  ["activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'", 'sees all signing'],
  ["wallet.id == 'w1' || private_key.id == 'k1'", 'is about these keys'],
  ["activity.action == 'EXPORT' && wallet.id != 'w1'", 'is about exports'],
  ["activity.action == 'SIGN' && wallet.exported", 'is about such wallets'],
  ["activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL'", 'is about the form of a payload'],
])('a denial with %j %s, and has nothing to report', (condition) => {
  expect(unseenIn(condition)).toEqual([])
})

test.each([
  ["activity.action == 'SIGN' && wallet.id != 'w1'", 'a private key'],
  ["activity.action == 'SIGN' && !(wallet.id == 'w1')", 'a private key'],
  ["wallet.label != 'hot'", 'a private key'],
  ["activity.action == 'SIGN' && wallet_account.public_key != 'w1'", 'a private key'],
  ["activity.action == 'SIGN' && !wallet.imported", 'a private key'],
  ["activity.action == 'SIGN' && private_key.id != 'k1'", 'a wallet account'],
])('a denial of all keys but some does not see those of the other kind: %s', (condition, signer) => {
  const keyword = signer === 'a private key' ? 'private_key' : 'wallet'
  const clause = `activity.action == 'SIGN' && ${keyword}.id == ${keyword}.id`
  expect(clausesOf(condition)).toEqual([[`signatures of all kinds, signed by ${signer}`, clause]])
  expect(unseenIn(condition, [denialOf(clause)])).toEqual([])
  for (const request of realRequests.filter((one) => (one.signer === 'wallet') === (keyword === 'wallet'))) {
    expect([denies(condition, request), denies(clause, request)]).toEqual([false, true])
  }
})

test('a field that is read for each item of a list that may be empty is not certain to be read', () => {
  const solana = "activity.params.type == 'TRANSACTION_TYPE_SOLANA'"
  const name = "solana.tx.instructions.any(i, i.parsed_instruction_data.instruction_name != 'a')"
  expect(unseenIn(`${solana} && solana.tx.spl_transfers.all(t, ${name})`)).toEqual([])
  expect(unseenIn(`${solana} && ['a'].all(t, ${name})`)).toHaveLength(1)
})

test('a policy that allows has nothing to report', () => {
  expect(finished(unseenBy({ ...denialOf('eth.tx.value > 5'), effect: 'EFFECT_ALLOW' }))).toEqual([])
})

describe('a second denial', () => {
  const condition = "wallet.id == 'w1' && eth.tx.value > 5"
  const raw = "activity.kind == 'SIGN_RAW_PAYLOAD'"
  const reported = (others: readonly CompiledPolicy[]) => unseenIn(condition, others).map(({ requests }) => requests)

  test('covers what it certainly denies', () => {
    const all = reported([])
    const withoutRaw = all.filter((name) => name !== 'typed data' && name !== 'authorizations of EIP-7702')
    // One payload of SIGN_RAW_PAYLOADS is still open.
    expect(reported([denialOf(raw)])).toEqual(all)
    const both = [denialOf(raw), denialOf("activity.kind == 'SIGN_RAW_PAYLOADS'")]
    expect(reported(both)).toEqual(withoutRaw.filter((name) => name.endsWith('transactions')))
    expect(reported([denialOf('')])).toEqual([])
    expect(reported([denialOf("activity.action == 'SIGN' && wallet.id == 'w1'")])).toEqual([])
    expect(reported([denialOf("activity.action == 'SIGN' && wallet.id == 'w2'")])).toEqual(all)
  })

  test('covers nothing after a lesser one that is true first, and what it covers before it', () => {
    const second = denialOf("activity.action == 'SIGN' && wallet.id == 'w1'")
    const lesser = denialOf("activity.action == 'SIGN'")
    const foundBeside = (denial: CompiledPolicy, others: readonly CompiledPolicy[]) =>
      finished(unseenBy(denial, others, new Set([lesser]))).map(({ requests }) => requests)
    const denial = denialOf(condition)
    expect(foundBeside(denial, [denial, lesser, second])).toEqual(reported([]))
    expect(foundBeside(denial, [denial, second, lesser])).toEqual([])
    const inTwo = denialOf(`${condition} || activity.action == 'SIGN'`)
    expect(foundBeside(inTwo, [inTwo, lesser])).toEqual([])
    expect(foundBeside(inTwo, [lesser, inTwo])).toEqual(reported([]))
  })

  test('covers nothing with another consensus or time, and nothing if it allows', () => {
    const all = reported([])
    expect(reported([denialOf('', { consensus: 'approvers.count() < 2' })])).toEqual(all)
    expect(reported([denialOf('', { time: "CronSpan('0 9 * * *', '8h', 'UTC')" })])).toEqual(all)
    expect(reported([{ ...denialOf(''), effect: 'EFFECT_ALLOW' }])).toEqual(all)
  })
})

test('the clause keeps what it can of a long condition, and compiles', () => {
  const long = `wallet.id in [${Array.from({ length: 60 }, (_, index) => `'${'x'.repeat(40)}${index}'`).join(', ')}]`
  const deep = `${'('.repeat(49)}wallet.id == 'w1' || wallet.id == 'w2'${')'.repeat(49)} && eth.tx.value > 5`
  for (const condition of [`${long} && wallet.imported && eth.tx.value > 5`, deep]) {
    for (const [, clause = ''] of clausesOf(condition)) {
      expect(clause.length).toBeLessThan(2_500)
      compileCondition(clause)
    }
  }
  expect(clausesOf(`${long} && wallet.imported && eth.tx.value > 5`)[1]?.[1]).toBe(
    "activity.kind == 'SIGN_RAW_PAYLOADS' && wallet.imported",
  )
})

test('every request of the table is among the real ones', () => {
  const real = new Set(realRequests.flatMap(({ kinds }) => kinds))
  expect(signingRequests.map(({ name }) => name).filter((name) => !real.has(name))).toEqual([])
})

const isOfSigner = (field: string) => /^(wallet|private_key)\b/.test(field)

/** Returns a function that says whether a real request is one of those that a report names. */
function reportedBy({ requests, missingFields }: Unseen): (request: SigningRequest) => boolean {
  const [, kind = '', types, signer] =
    /^(.*?)(?: \((.*)\))?(?:, signed by a (wallet account|private key))?$/.exec(requests) ?? []
  const named = types?.split(', ')
  const lacking = missingFields.filter((field) => !isOfSigner(field)).map(lackOf)
  return (request) => {
    if (!request.kinds.includes(kind)) return false
    if (named !== undefined && ![typeOf(request), kindOf(request)].some((one) => named.includes(one))) return false
    if (signer !== undefined && signer.startsWith('wallet') !== (request.signer === 'wallet')) return false
    // What is named by its type lacks fields of other types.
    return named?.includes(typeOf(request)) === true || lacking.every((lacks) => lacks(request))
  }
}

/** The requests of which something is unknown, or certainly has no name. These may be denied. */
const unknownRequests = new Set(realRequests.filter(({ facts }) => hasUnknown(facts)))

function hasUnknown(value: Value): boolean {
  if (isList(value)) return value.some(hasUnknown)
  if (isMap(value)) return [...value.values()].some(hasUnknown)
  if (!isStruct(value)) return value === addressTableLookup
  if (value.is_unnamed === true) return true
  const isUnread = Object.keys(value).some((name) => isUnreadable(value, name))
  return isUnread || Object.values(value).some((field) => field !== undefined && hasUnknown(field))
}

function kindOf({ facts }: SigningRequest): string {
  return `${valueAt(facts, ['activity', 'kind'])} of ${valueAt(facts, ['activity', 'params', 'encoding'])}`
}

function typeOf({ facts }: SigningRequest): string {
  const [contract] = (valueAt(facts, ['tron', 'tx', 'contract']) ?? []) as readonly Struct[]
  return String(contract?.type ?? valueAt(facts, ['eth', 'tx', 'type']))
}

function lackOf(field: string): (request: SigningRequest) => boolean {
  if (field.startsWith('spent(')) return ({ isTransaction }) => !isTransaction
  const steps = [...field.matchAll(/\[\]|\['([^']*)'\]|\[(\d+)\]|([a-z_0-9]+)/g)]
  return ({ facts }) => isMissing(facts, steps)
}

function isMissing(value: Value | undefined, [step, ...rest]: readonly RegExpMatchArray[]): boolean {
  if (value === undefined) return true
  if (step === undefined) return false
  const [whole, key, index, name] = step
  // One item that has the field may be denied, whatever the others lack.
  if (whole === '[]') return isList(value) && value.length > 0 && value.every((item) => isMissing(item, rest))
  if (key !== undefined) return !isMap(value) || isMissing(value.get(key), rest)
  if (index !== undefined) return !isList(value) || isMissing(value[Number(index)], rest)
  return !isStruct(value) || (!isUnreadable(value, name ?? '') && isMissing(value[name ?? ''], rest))
}

describe('for generated conditions and real requests', () => {
  const contentOf = (text: string) => /\b(eth|solana|tron|bitcoin|tempo)\.|spent\(/.test(text)

  /** An operand about the other kind of signer leaves the request out, also if it reads content besides. */
  const readsOtherSigner = (text: string, { signer }: SigningRequest) =>
    (signer === 'wallet' ? /\bprivate_key\./ : /\bwallet(_account)?\./).test(text)
  const mixedOperands = [
    "!(eth.tx.type == 'LEGACY' && eth.tx.function_signature != 'a')",
    "!(wallet.id != 'k1' && eth.tx.data != 'transfer')",
    "(activity.kind == 'SIGN_TRANSACTION' || spent('eth.tx.value', '24h') < 5)",
  ]

  /** Requests of the other kind have no such parameter. */
  const ofOneKind = [
    "private_key.id != 'k1'",
    "activity.params.type != 'TRANSACTION_TYPE_ETHEREUM'",
    "activity.kind == 'SIGN_TRANSACTION'",
  ]
  /** Another form of payloads may have a private key, and this one has none. */
  const ofOneForm = [
    "wallet_account.address != '0xa0'",
    "eth.tx.type == 'LEGACY'",
    "!(activity.params.encoding == 'PAYLOAD_ENCODING_EIP712' && !(wallet.id in ['w1']))",
  ]

  /** A denial of `a || b` is looked at as two. */
  const alternative = fc.tuple(generatedOperands, fc.nat()).map(([operands, index]) => {
    const alternatives = alternativesOf(denialOf(operands.join(' && ')))
    const root = alternatives[index % alternatives.length]?.condition?.root
    const parts = root?.kind === 'and' ? root.operands : [root ?? expect.fail('it has a condition')]
    return parts.map(print)
  })

  test('what is reported is never denied, and the clause denies it unless another operand leaves it out', () => {
    let reported = 0
    fc.assert(
      fc.property(alternative, (operands) => {
        const condition = operands.join(' && ')
        // One request may be in several reports.
        const isDenied = onceFor((request: SigningRequest) => denies(condition, request))
        const isLeftOut = onceFor((request: SigningRequest) =>
          operands.some((operand) => {
            const verdict = verdictOf(operand, request)
            if (verdict.kind === 'value') return !verdict.value
            return !contentOf(operand) || readsOtherSigner(operand, request)
          }),
        )
        for (const unseen of unseenIn(condition)) {
          for (const request of realRequests.filter(reportedBy(unseen))) {
            reported += 1
            const told = { condition, unseen, request: request.name }
            if (!unknownRequests.has(request) && isDenied(request)) expect(told).toBe('not denied')
            if (!isLeftOut(request) && !denies(unseen.clause, request)) expect(told).toBe('denied by the clause')
          }
        }
      }),
      { numRuns: 2 * generatedRuns, examples: [[mixedOperands]] },
    )
    expect(reported).toBeGreaterThan(generatedRuns)
  })

  test('the clauses, made policies, leave nothing to report', () => {
    fc.assert(
      fc.property(generatedOperands, (operands) => {
        const condition = operands.join(' && ')
        const seconds = unseenIn(condition).map(({ clause }) => denialOf(clause))
        expect(unseenIn(condition, seconds), condition).toEqual([])
        // A clause about the content of one payload does not see several.
        const left = seconds
          .flatMap(({ policyId: clause }) => unseenIn(clause, seconds))
          .map(({ requests }) => requests)
        expect(
          left.filter((requests) => !requests.startsWith('several payloads')),
          condition,
        ).toEqual([])
      }),
      { numRuns: 2 * generatedRuns, examples: [[ofOneKind], [ofOneForm]] },
    )
  })

  const ofFields =
    'a single comparison of any field that has no value for a request is reported with a clause that denies it'
  // Every field with every request, however busy the machine is.
  test(ofFields, { timeout: 180_000 }, () => {
    // Nothing is in a list that is not there, as the author of `any` means it. One text for each field is enough.
    const conditions = ofContent.negative.filter(
      (condition) => !/\.(actives|keys)\.any\(|'(w1|k1|t1|transfer|0x.*)'/.test(condition),
    )
    let errors = 0
    const missed: string[] = []
    for (const condition of conditions) {
      const clauses = unseenIn(condition).map(({ clause }) => clause)
      for (const request of realRequests) {
        if (request.signer === 'private_key') continue
        const verdict = verdictOf(condition, request)
        if (verdict.kind !== 'error' || verdict.code !== 'MISSING_FIELD') continue
        errors += 1
        if (!clauses.some((clause) => denies(clause, request))) missed.push(`${condition}\n${request.name}`)
      }
    }
    expect(missed).toEqual([])
    expect(errors).toBeGreaterThan(10_000)
  })
})
