import { describe, expect, test } from 'vitest'
import { realRequests, type SigningRequest } from '../../test/support/signing_facts.ts'
import { compileCondition, guardHolds, truthOf } from './decision/policy_expressions.ts'
import { isList, isStruct, type Struct, type Value } from './language/expression_values.ts'
import { keywords } from './language/names/keywords.ts'
import { payloads } from './language/names/payload_types.ts'
import type { Type } from './language/names/types.ts'

/**
 * Can the user who asks leave a field out, or choose whether it is there, while what is signed stays the same or stays as
 * dangerous? Every field of what is signed has its answer here.
 */

/** The result of a rule that guards, by a field that is missing. */
type Answer =
  /** The request has it and does not say it: whatever is compared with it is perhaps so, and a guard applies. */
  | 'unknown'
  /** There certainly is no such thing in what was asked for. It equals nothing: `!=` is true, `==` is not. */
  | 'nothing'
  /** Another field says it in a transaction of this type. */
  | 'the price'
  /** There is nothing that it could hold, and nothing that it would limit. In a sum it counts as 0. */
  | 'none'
  /** Another thing is signed, with fields of its own. The rule is an error, and `check_policies` names these requests. */
  | 'another kind'

type Fields = { readonly always: string; readonly optional?: Readonly<Record<string, readonly Answer[]>> }

const permission: Fields = { always: 'type id permission_name threshold parent_id operations keys' }
const lookup: Fields = { always: 'address_table_key writable_indexes readonly_indexes' }
const otherContracts: readonly Answer[] = ['another kind']

const answers: Readonly<Record<string, Fields>> = {
  wallet: { always: 'id imported exported label' },
  private_key: { always: 'id tags imported exported label' },
  wallet_account: { always: 'address public_key path_indexes path_hardened' },
  eth: {
    always: '',
    optional: { tx: ['another kind'], eip_712: ['another kind'], eip_7702_authorization: ['another kind'] },
  },
  'eth.tx': {
    always: 'type from to data value gas gas_price nonce',
    optional: {
      /** EIP-1559: an older transaction has its price for both. */
      max_fee_per_gas: ['the price'],
      max_priority_fee_per_gas: ['the price'],
      /** Without blobs nobody pays for blobs. */
      max_fee_per_blob_gas: ['none'],
      /** A legacy transaction without one is valid on every chain. */
      chain_id: ['unknown'],
      /** Who asks chooses what is called. A transaction without data calls nothing. */
      function_name: ['nothing', 'another kind'],
      function_signature: ['nothing', 'another kind'],
      /** Unknown where an interface declares the call. Otherwise the rule is about functions with that argument. */
      contract_call_args: ['unknown', 'another kind'],
    },
  },
  'eth.eip_712': { always: 'primary_type domain message' },
  'eth.eip_712.domain': {
    always: '',
    optional: {
      /** No contract whose domain has the member takes typed data without it. */
      name: ['nothing'],
      version: ['nothing'],
      verifying_contract: ['nothing'],
      /** A contract whose domain has no chain takes it on each. */
      chain_id: ['unknown'],
    },
  },
  'eth.eip_7702_authorization': {
    always: 'address nonce',
    /** Chain 0 is every chain. */
    optional: { chain_id: ['unknown'] },
  },
  solana: { always: 'tx' },
  'solana.tx': {
    always:
      'account_keys program_keys recent_blockhash instructions transfers lamport_transfers spl_transfers address_table_lookups priority_fee compute_unit_price compute_unit_limit',
  },
  'solana.tx.instructions[]': {
    always: 'program_key accounts instruction_data_hex address_table_lookups',
    /** A program without an interface. */
    optional: { parsed_instruction_data: ['another kind'] },
  },
  'solana.tx.instructions[].accounts[]': { always: 'account_key signer writable' },
  'solana.tx.instructions[].address_table_lookups[]': lookup,
  'solana.tx.instructions[].parsed_instruction_data': {
    always: '',
    optional: {
      /** The interface of the program does not declare the instruction, which who asks chooses. */
      instruction_name: ['nothing'],
      discriminator: ['nothing'],
      named_accounts: ['another kind'],
      program_call_args: ['another kind'],
    },
  },
  'solana.tx.transfers[]': { always: 'from to amount' },
  'solana.tx.lamport_transfers[]': {
    always: 'instruction_name from to',
    /** Absent where everything is moved. */
    optional: { amount: ['unknown'] },
  },
  'solana.tx.spl_transfers[]': {
    always: 'from to amount owner signers withheld_fee',
    /** `Transfer` moves the token of its accounts, as `TransferChecked` does. */
    optional: { token_mint: ['unknown'] },
  },
  'solana.tx.address_table_lookups[]': lookup,
  tron: { always: 'tx' },
  'tron.tx': { always: 'ref_block_bytes ref_block_hash data expiration timestamp fee_limit contract' },
  'tron.tx.contract[]': {
    always: 'type permission_id owner_address',
    optional: {
      to_address: otherContracts,
      amount: otherContracts,
      contract_address: otherContracts,
      call_value: otherContracts,
      data: otherContracts,
      call_token_value: otherContracts,
      token_id: otherContracts,
      resource: otherContracts,
      balance: otherContracts,
      receiver_address: otherContracts,
      lock: otherContracts,
      lock_period: otherContracts,
      frozen_balance: otherContracts,
      unfreeze_balance: otherContracts,
      owner: otherContracts,
      witness: otherContracts,
      actives: otherContracts,
    },
  },
  'tron.tx.contract[].owner': permission,
  'tron.tx.contract[].owner.keys[]': { always: 'address weight' },
  'tron.tx.contract[].witness': permission,
  'tron.tx.contract[].witness.keys[]': { always: 'address weight' },
  'tron.tx.contract[].actives[]': permission,
  'tron.tx.contract[].actives[].keys[]': { always: 'address weight' },
  bitcoin: { always: 'tx' },
  'bitcoin.tx': {
    always: 'version inputs outputs locktime',
    /** The previous transactions that prove it are in no signature. */
    optional: { fee: ['unknown'] },
  },
  'bitcoin.tx.inputs[]': { always: 'tx_id vout sequence' },
  'bitcoin.tx.outputs[]': { always: 'value script_pubkey address address_type' },
  'bitcoin.tx.locktime': { always: 'amount type' },
}

type Found = { readonly struct: string; readonly name: string; readonly type: Type }

/** Every field of a struct, and of those in it. `[]` stands for each item of a list. */
function fieldsIn(struct: string, type: Type): readonly Found[] {
  if (type.kind === 'list') return fieldsIn(`${struct}[]`, type.item)
  if (type.kind !== 'struct') return []
  return [...type.fields].flatMap(([name, field]) => [
    { struct, name, type: field },
    ...fieldsIn(`${struct}.${name}`, field),
  ])
}

const { tempo: _, ...signed } = payloads
const signers = ['wallet', 'private_key', 'wallet_account'].map((name) => [name, keywords.condition.get(name)] as const)
const fields = [...Object.entries(signed), ...signers].flatMap(([name, type]) =>
  type === undefined ? [] : fieldsIn(name, type),
)
const optional = fields.flatMap((field) => {
  const own = answers[field.struct]?.optional?.[field.name]
  return own === undefined ? [] : [{ ...field, answers: own }]
})

/** The structs at a path. */
function structsAt(value: Value | undefined, [step, ...rest]: readonly string[]): readonly Struct[] {
  if (value === undefined) return []
  if (isList(value))
    return value.flatMap((item) =>
      structsAt(
        item,
        [step ?? '', ...rest].filter((one) => one !== ''),
      ),
    )
  if (!isStruct(value)) return []
  return step === undefined ? [value] : structsAt(value[step], rest)
}
const structsOf = ({ facts }: SigningRequest, struct: string) =>
  structsAt(facts, struct.replaceAll('[]', '').split('.'))

test('each field of what is signed is always there, or has an answer for where it is missing', () => {
  const written = Object.entries(answers).flatMap(([struct, { always, optional: own = {} }]) =>
    [...always.split(' ').filter((name) => name !== ''), ...Object.keys(own)].map((name) => `${struct}.${name}`),
  )
  expect(fields.map(({ struct, name }) => `${struct}.${name}`).toSorted()).toEqual(written.toSorted())
})

test('no request lacks a field that is always there, and some request has each field', () => {
  const missing = fields.filter(
    ({ struct, name }) =>
      answers[struct]?.optional?.[name] === undefined &&
      realRequests.some((request) => structsOf(request, struct).some((one) => one[name] === undefined)),
  )
  expect(missing).toEqual([])
  const never = fields.filter(
    ({ struct, name }) =>
      !realRequests.some((request) => structsOf(request, struct).some((one) => one[name] !== undefined)),
  )
  expect(never).toEqual([])
})

const literalOf = { int: '987654321', uint: '987654321', bool: 'true' } as const

/** Compares the field with a value that no request has. An item of a list is any of them. */
function comparison({ struct, name, type }: Found, operator: string): string | undefined {
  if (type.kind === 'struct' || type.kind === 'list') return undefined
  const literal = type.kind in literalOf ? literalOf[type.kind as keyof typeof literalOf] : "'a'"
  const [list, rest] = struct.split('[]')
  const read = `${name}${type.kind === 'map' ? "['to']" : ''}`
  if (rest === undefined) return `${struct}.${read} ${operator} ${literal}`
  return `${list}.any(one, one${rest}.${read} ${operator} ${literal})`
}

const truthsOf: Readonly<Record<Answer, readonly [boolean | undefined, boolean | undefined]>> = {
  unknown: [true, true],
  nothing: [undefined, true],
  'the price': [false, true],
  none: [undefined, undefined],
  'another kind': [undefined, undefined],
}

describe('where a field is missing', () => {
  test.each(optional.filter((field) => comparison(field, '==') !== undefined))('$struct.$name', (field) => {
    const expected = field.answers.map((answer) => truthsOf[answer])
    const seen = new Set<number>()
    const [equal = '', unequal = ''] = ['==', '!='].map((operator) => comparison(field, operator))
    for (const request of realRequests) {
      const structs = structsOf(request, field.struct)
      if (structs.length === 0 || structs.some((one) => one[field.name] !== undefined)) continue
      const environment = { keywords: request.facts }
      const truths = [equal, unequal].map((text) => guardHolds(compileCondition(text), environment))
      const index = expected.findIndex(([one, other]) => one === truths[0] && other === truths[1])
      expect(index, `${request.name}: ${truths}`).not.toBe(-1)
      seen.add(index)
      // A rule that does not guard never holds.
      for (const text of [equal, unequal]) expect(truthOf(compileCondition(text), environment)).toBeUndefined()
    }
    expect([...seen].toSorted()).toEqual(expected.map((_, index) => index))
  })
})

test('a fee that a transaction does not have counts as 0 beside its other amounts, in a rule that guards', () => {
  const holds = (text: string, tx: Struct) =>
    guardHolds(compileCondition(text), { keywords: { eth: { tx } }, spent: () => 3n })
  const legacy = { type: 'LEGACY', value: 6n, gas_price: 2n, nonce: 1n, max_fee_per_gas: undefined }
  expect(holds('eth.tx.value + eth.tx.max_fee_per_blob_gas > 5', legacy)).toBe(true)
  expect(holds('!(eth.tx.value + eth.tx.max_fee_per_blob_gas <= 5)', legacy)).toBe(true)
  expect(holds('eth.tx.value + eth.tx.max_fee_per_blob_gas > 6', legacy)).toBeUndefined()
  expect(holds("spent('eth.tx.value', '24h') + eth.tx.value + eth.tx.max_fee_per_blob_gas > 8", legacy)).toBe(true)
  expect(holds('eth.tx.max_fee_per_blob_gas + 5 > 3', legacy)).toBeUndefined()
  expect(holds('eth.tx.value + eth.tx.max_fee_per_gas > 7', legacy)).toBe(true)
  expect(holds('eth.tx.value + eth.tx.max_fee_per_gas > 8', legacy)).toBe(false)
  expect(holds('eth.tx.value + bitcoin.tx.fee > 5', legacy)).toBeUndefined()
})
