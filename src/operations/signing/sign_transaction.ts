import { strict as assert } from 'node:assert'
import { bytesToHex } from '@noble/hashes/utils.js'
import Type from 'typebox'
import { signerFacts } from '../../contract/condition_facts.ts'
import { defineActivity, type FactsContext, olderType } from '../../contract/define.ts'
import { transactionContent } from '../../contract/explanation/signing/transaction_content.ts'
import { fields, oneOf, optional, payloadCharactersMax } from '../../contract/fields/fields.ts'
import { named } from '../../contract/fields/named.ts'
import { SignWith } from '../../contract/fields/signature_fields.ts'
import type { Signer } from '../../contract/keys.ts'
import { signer } from '../../contract/needs.ts'
import type { SmartContractInterface } from '../../contract/records/records.ts'
import type { Struct } from '../../policy/language/values.ts'
import type { Interfaces, OpenTransaction, TransactionKind } from '../../policy/transactions/transaction_kind.ts'
import {
  type TransactionType,
  transactionKinds,
  transactionTypes,
} from '../../policy/transactions/transaction_kinds.ts'
import { decodeTransactionHex } from '../../policy/transactions/unsigned_transaction.ts'
import { finished, type Steps } from '../../protocol/tools/steps.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { calledAddress } from '../smart_contract_interfaces/shared/smart_contract_interfaces.ts'

const transaction = {
  unsignedTransaction: Type.String({
    minLength: 2,
    maxLength: payloadCharactersMax,
    expected: 'a transaction in hex',
  }),
  type: oneOf(transactionTypes, named('TransactionType')),
}

export default defineActivity({
  name: 'sign_transaction',
  summary: 'Parses a transaction and signs it. An input that cannot be parsed is not signed.',
  type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  resultKey: 'signTransactionResult',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  parameters: fields({ signWith: SignWith, ...transaction }),
  result: Type.Object({ signedTransaction: Type.String() }),
  concurrent: true,
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_SIGN_TRANSACTION',
      // A public command-line client sends this type with the newer name.
      parameters: fields({ privateKeyId: optional(SignWith), signWith: optional(SignWith), ...transaction }),
      upgrade: ({ privateKeyId, signWith, ...rest }) => ({ signWith: onlyOne(privateKeyId, signWith), ...rest }),
    }),
  ],
  needs: ({ signWith }) => [signer(signWith)],
  *prepare(context) {
    const { transaction } = yield* openIn(context)
    const interfaces = interfacesOf(transaction.calls, context.contractInterfaces)
    // Without an interface there is nothing that takes long, and nobody may ask for the facts.
    if (interfaces.length > 0) decoded.set(context.parameters, { ...(yield* decode(context)), interfaces })
  },
  facts: (context) => {
    const { kind, tx } = finished(decode(context))
    return { ...signerFacts(context.organization, context.parameters.signWith), [kind.keyword]: { tx } }
  },
  smartContractInterfaceIds: (context) => {
    const { transaction } = finished(openIn(context))
    const interfaces = interfacesOf(transaction.calls, context.contractInterfaces)
    return interfaces.length === 0 ? [] : finished(decode(context)).interfaceIds
  },
  spendsFrom: ({ signWith }) => signWith,
  explain: ({ parameters, ...explaining }) => transactionContent(parameters, explaining),

  async run({ organization, parameters, keys }) {
    const found = organization.signer(parameters.signWith)
    const { transaction } = finished(open(parameters, found))
    const signatures = await keys.signAll(found, transaction.messages)
    return { signedTransaction: bytesToHex(transaction.serialize(signatures)) }
  },
})

type Opened = { readonly kind: TransactionKind; readonly transaction: OpenTransaction }

/** The transaction of a request, by its parameters: it is read once. */
const opened = new WeakMap<object, Opened>()

type Parameters = { readonly unsignedTransaction: string; readonly type: TransactionType }
type Context = FactsContext<Parameters & { readonly signWith: string }>

/** `signer` is the one that the parameters name. */
function* open(parameters: Parameters, signer: Signer): Steps<Opened> {
  const known = opened.get(parameters)
  if (known !== undefined) return known
  const kind = kindOf(parameters.type)
  if (!kind.maySign(signer)) throw fieldInvalid('parameters.signWith', kind.signerExpected)
  const transaction = yield* kind.open(decodeTransactionHex(parameters.unsignedTransaction), signer)
  opened.set(parameters, { kind, transaction })
  return { kind, transaction }
}

function openIn({ organization, parameters }: Context): Steps<Opened> {
  return open(parameters, organization.signer(parameters.signWith))
}

/** The transaction as conditions see it, and the uploaded interfaces by which its calls were read. */
type Decoded = { readonly kind: TransactionKind; readonly tx: Struct; readonly interfaceIds: readonly string[] }

/** Transactions that `prepare` has decoded, by the parameters of the request, with the interfaces of that time. */
const decoded = new WeakMap<object, Decoded & { readonly interfaces: readonly SmartContractInterface[] }>()

function* decode(context: Context): Steps<Decoded> {
  const { kind, transaction } = yield* openIn(context)
  const interfaces = interfacesOf(transaction.calls, context.contractInterfaces)
  const known = decoded.get(context.parameters)
  if (known !== undefined && areTheSame(known.interfaces, interfaces)) return known
  const { struct, usedInterfaces } = yield* transaction.struct(textsOf(interfaces))
  const used = interfaces.filter((one) => usedInterfaces.get(calledAddress(one))?.includes(one.smartContractInterface))
  return { kind, tx: struct, interfaceIds: used.map(({ smartContractInterfaceId }) => smartContractInterfaceId) }
}

function areTheSame(some: readonly SmartContractInterface[], others: readonly SmartContractInterface[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ smartContractInterfaceId, smartContractInterface }, index) => {
      const other = others[index]
      return (
        other?.smartContractInterfaceId === smartContractInterfaceId &&
        other.smartContractInterface === smartContractInterface
      )
    })
  )
}

/** The uploaded interfaces of these contracts or programs. One may have several. */
function interfacesOf(
  calls: readonly string[],
  contractInterfaces: () => readonly SmartContractInterface[],
): readonly SmartContractInterface[] {
  return calls.length === 0 ? [] : contractInterfaces().filter((one) => calls.includes(calledAddress(one)))
}

function textsOf(interfaces: readonly SmartContractInterface[]): Interfaces {
  const texts = new Map<string, readonly string[]>()
  for (const one of interfaces) {
    const address = calledAddress(one)
    texts.set(address, [...(texts.get(address) ?? []), one.smartContractInterface])
  }
  return texts
}

function onlyOne(privateKeyId: string | undefined, signWith: string | undefined): string {
  const given = privateKeyId ?? signWith
  if (given !== undefined && (privateKeyId === undefined || signWith === undefined)) return given
  throw fieldInvalid('parameters.privateKeyId', 'given, or parameters.signWith, and not both')
}

function kindOf(type: TransactionType): TransactionKind {
  const kind = transactionKinds.get(type)
  assert(kind !== undefined, 'every type has its row')
  return kind
}
