import Type from 'typebox'
import {
  decodeTransactionHex,
  parseEthereumTransaction,
  serializeSigned,
  signingDigest,
} from '../../policy/transactions/ethereum.ts'
import { Failure } from '../../protocol/failures.ts'
import { signerFacts } from '../condition_facts.ts'
import { defineActivity, olderType } from '../define.ts'
import { fields, oneOf, payloadCharactersMax } from '../fields.ts'
import { signer } from '../needs.ts'
import { SignWith } from '../signature_fields.ts'

const transaction = {
  unsignedTransaction: Type.String({
    minLength: 2,
    maxLength: payloadCharactersMax,
    expected: 'a transaction in hex',
  }),
  type: oneOf([
    'TRANSACTION_TYPE_ETHEREUM',
    'TRANSACTION_TYPE_SOLANA',
    'TRANSACTION_TYPE_TRON',
    'TRANSACTION_TYPE_BITCOIN',
    'TRANSACTION_TYPE_TEMPO',
  ]),
}

export default defineActivity({
  name: 'sign_transaction',
  summary: 'Parses a transaction and signs it. What cannot be parsed is not signed as a transaction.',
  type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  intentKey: 'signTransactionIntentV2',
  resultKey: 'signTransactionResult',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  parameters: fields({ signWith: SignWith, ...transaction }),
  result: Type.Object({ signedTransaction: Type.String() }),
  concurrent: true,
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_SIGN_TRANSACTION',
      intentKey: 'signTransactionIntent',
      resultKey: 'signTransactionResult',
      parameters: fields({ privateKeyId: SignWith, ...transaction }),
      upgrade: ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }),
    }),
  ],
  check: ({ type }) => {
    if (type === 'TRANSACTION_TYPE_ETHEREUM') return
    throw new Failure('TRANSACTION_TYPE_UNSUPPORTED', {
      fieldPath: 'parameters.type',
      expected: 'TRANSACTION_TYPE_ETHEREUM for now',
    })
  },
  reads: ({ signWith }) => [signer(signWith)],
  facts: ({ organization, parameters: { signWith } }) => signerFacts(organization, signWith),

  run({ organization, parameters: { signWith, unsignedTransaction }, keys }) {
    const found = organization.signer(signWith)
    if (found.curve !== 'CURVE_SECP256K1' || found.scheme !== 'default') {
      throw new Failure('FIELD_INVALID', {
        fieldPath: 'parameters.signWith',
        expected: 'a key that signs for Ethereum',
      })
    }
    const parsed = parseEthereumTransaction(decodeTransactionHex(unsignedTransaction))
    const { r, s, v } = keys.sign(found, signingDigest(parsed))
    const signed = serializeSigned(parsed, { r, s, recoveryId: v === '00' ? 0 : 1 })
    return { signedTransaction: Buffer.from(signed).toString('hex') }
  },
})
