import { bytesToHex } from '@noble/hashes/utils.js'
import Type, { type Static } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { transactionContent } from '../../contract/explanation/signing/transaction_content.ts'
import { fields, oneOf, optional, payloadCharactersMax } from '../../contract/fields/fields.ts'
import { named } from '../../contract/fields/named.ts'
import { SignWith } from '../../contract/fields/signature_fields.ts'
import type { Signer } from '../../contract/keys.ts'
import { signer } from '../../contract/needs.ts'
import { signerFacts } from '../../contract/record_facts.ts'
import type { SmartContractInterface } from '../../contract/records/records.ts'
import type { Interfaces, OpenTransaction, TransactionKind } from '../../policy/transactions/transaction_kind.ts'
import { transactionKinds, transactionTypes } from '../../policy/transactions/transaction_kinds.ts'
import { decodeTransactionHex } from '../../policy/transactions/unsigned_transaction.ts'
import { inSteps, type Steps } from '../../protocol/tools/steps.ts'
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
const parameters = fields({ signWith: SignWith, ...transaction })

export default defineActivity({
  name: 'sign_transaction',
  summary: 'Parses a transaction and signs it. An input that cannot be parsed is not signed.',
  type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  resultKey: 'signTransactionResult',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  parameters,
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
  parse: (given) => ({ ...given, open: transactionIn(given) }),
  needs: ({ signWith }) => [signer(signWith)],
  *facts({ organization, parameters, contractInterfaces }) {
    const { kind, transaction } = yield* parameters.open(organization.signer(parameters.signWith))
    const interfaces = interfacesOf(transaction.calls, contractInterfaces)
    const { struct: tx, usedInterfaces } = yield* transaction.struct(textsOf(interfaces))
    const used = interfaces.filter((one) =>
      usedInterfaces.get(calledAddress(one))?.includes(one.smartContractInterface),
    )
    return {
      keywords: { ...signerFacts(organization, parameters.signWith), [kind.keyword]: { tx } },
      interfaceIds: used.map(({ smartContractInterfaceId }) => smartContractInterfaceId),
    }
  },
  spendsFrom: ({ signWith }) => signWith,
  explain: ({ parameters, ...explaining }) => transactionContent(parameters, explaining),

  async run({ organization, parameters, keys, pause }) {
    const found = organization.signer(parameters.signWith)
    const { transaction } = await inSteps(parameters.open(found), pause)
    const signatures = await keys.signAll(found, transaction.messages)
    return { signedTransaction: bytesToHex(transaction.serialize(signatures)) }
  },
})

type Opened = { readonly kind: TransactionKind; readonly transaction: OpenTransaction }

/** Returns the reader of a transaction. It reads the transaction once, for the signer that the parameters name. */
function transactionIn({ type, unsignedTransaction }: Static<typeof parameters>): (signer: Signer) => Steps<Opened> {
  let opened: Opened | undefined
  return function* open(signer) {
    if (opened !== undefined) return opened
    const kind = transactionKinds[type]
    if (!kind.maySign(signer)) throw fieldInvalid('parameters.signWith', kind.signerExpected)
    opened = { kind, transaction: yield* kind.open(decodeTransactionHex(unsignedTransaction), signer) }
    return opened
  }
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
