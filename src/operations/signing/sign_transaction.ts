import { bytesToHex } from '@noble/hashes/utils.js'
import Type from 'typebox'
import type { OpenTransaction, TransactionKind } from '../../policy/transactions/transaction_kind.ts'
import {
  type TransactionType,
  transactionKinds,
  transactionTypes,
} from '../../policy/transactions/transaction_kinds.ts'
import { decodeTransactionHex } from '../../policy/transactions/unsigned_transaction.ts'
import { finished, type Steps } from '../../protocol/tools/steps.ts'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'
import { signerFacts } from '../condition_facts.ts'
import { defineActivity, olderType } from '../define.ts'
import { fields, oneOf, payloadCharactersMax } from '../fields/fields.ts'
import { SignWith } from '../fields/signature_fields.ts'
import type { Signer } from '../keys.ts'
import { signer } from '../needs.ts'
import type { SmartContractInterface } from '../records/records.ts'

const transaction = {
  unsignedTransaction: Type.String({
    minLength: 2,
    maxLength: payloadCharactersMax,
    expected: 'a transaction in hex',
  }),
  type: oneOf(transactionTypes),
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
      parameters: fields({ privateKeyId: SignWith, ...transaction }),
      upgrade: ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }),
    }),
  ],
  check: ({ type }) => {
    kindOf(type)
  },
  needs: ({ signWith }) => [signer(signWith)],
  *prepare({ organization, parameters }) {
    yield* open(parameters, organization.signer(parameters.signWith))
  },
  facts: ({ organization, parameters, contractInterfaces }) => {
    const { kind, transaction } = finished(open(parameters, organization.signer(parameters.signWith)))
    const tx = transaction.struct(interfacesOf(transaction.calls, contractInterfaces))
    return { ...signerFacts(organization, parameters.signWith), [kind.keyword]: { tx } }
  },
  spendsFrom: ({ signWith }) => signWith,

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

/** The uploaded interfaces of these contracts or programs, by address. */
function interfacesOf(
  calls: readonly string[],
  contractInterfaces: () => readonly SmartContractInterface[],
): ReadonlyMap<string, string> {
  if (calls.length === 0) return new Map()
  const known = contractInterfaces().map(({ type, smartContractAddress, smartContractInterface }) => {
    const address = type === 'ETHEREUM' ? smartContractAddress.toLowerCase() : smartContractAddress
    return [address, smartContractInterface] as const
  })
  return new Map(known.filter(([address]) => calls.includes(address)))
}

function kindOf(type: TransactionType): TransactionKind {
  const kind = transactionKinds.get(type)
  if (kind !== undefined) return kind
  throw new Failure('TRANSACTION_TYPE_UNSUPPORTED', {
    fieldPath: 'parameters.type',
    expected: `one of ${[...transactionKinds.keys()].join(', ')} for now`,
  })
}
