import type { Struct } from '../../policy/language/values.ts'
import { authorizationStruct, typedDataStruct } from '../../policy/typed_data_struct.ts'
import { hashFunctions, messageToSign, type PayloadEncoding, payloadEncodings } from '../../protocol/payloads.ts'
import { signerFacts } from '../condition_facts.ts'
import { defineActivity, olderType } from '../define.ts'
import { fields, oneOf } from '../fields.ts'
import { signer } from '../needs.ts'
import { Payload, SignatureResult, SignWith } from '../signature_fields.ts'

const payloadPath = 'parameters.payload'

const parameters = fields({
  signWith: SignWith,
  payload: Payload,
  encoding: oneOf(payloadEncodings),
  hashFunction: oneOf(hashFunctions),
})

export default defineActivity({
  name: 'sign_raw_payload',
  summary: 'Signs one payload with a wallet account or a private key.',
  type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
  intentKey: 'signRawPayloadIntentV2',
  resultKey: 'signRawPayloadResult',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  parameters,
  result: SignatureResult,
  concurrent: true,
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD',
      intentKey: 'signRawPayloadIntent',
      resultKey: 'signRawPayloadResult',
      parameters: fields({
        privateKeyId: SignWith,
        payload: Payload,
        encoding: oneOf(payloadEncodings),
        hashFunction: oneOf(hashFunctions),
      }),
      upgrade: ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }),
    }),
  ],
  reads: ({ signWith }) => [signer(signWith)],
  facts: ({ organization, parameters: { signWith, payload, encoding } }) => ({
    ...signerFacts(organization, signWith),
    ...payloadFacts(payload, encoding),
  }),

  run({ organization, parameters: { signWith, payload, encoding, hashFunction }, keys }) {
    const found = organization.signer(signWith)
    const { curve } = found
    return keys.sign(found, messageToSign({ payload, encoding, hashFunction, curve, fieldPath: payloadPath }))
  },
})

/** What a payload says that has a form of its own. */
function payloadFacts(payload: string, encoding: PayloadEncoding): Struct {
  if (encoding === 'PAYLOAD_ENCODING_EIP712') return { eth: { eip_712: typedDataStruct(payload, payloadPath) } }
  if (encoding !== 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION') return {}
  return { eth: { eip_7702_authorization: authorizationStruct(payload, payloadPath) } }
}
