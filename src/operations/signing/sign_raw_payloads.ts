import Type from 'typebox'
import { hashFunctions, messageToSign, payloadEncodings } from '../../protocol/payloads.ts'
import { signerFacts } from '../condition_facts.ts'
import { defineActivity } from '../define.ts'
import { fields, list, oneOf, payloadsPerRequestMax } from '../fields.ts'
import { signer } from '../needs.ts'
import { Payload, SignatureResult, SignWith } from '../signature_fields.ts'

export default defineActivity({
  name: 'sign_raw_payloads',
  summary: 'Signs several payloads with one wallet account or private key: all of them or none.',
  type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
  intentKey: 'signRawPayloadsIntent',
  resultKey: 'signRawPayloadsResult',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  parameters: fields({
    signWith: SignWith,
    payloads: list(Payload, { itemsMin: 1, itemsMax: payloadsPerRequestMax }),
    encoding: oneOf(payloadEncodings),
    hashFunction: oneOf(hashFunctions),
  }),
  result: Type.Object({ signatures: Type.Array(SignatureResult) }),
  concurrent: true,
  reads: ({ signWith }) => [signer(signWith)],
  facts: ({ organization, parameters: { signWith } }) => signerFacts(organization, signWith),

  run({ organization, parameters: { signWith, payloads, encoding, hashFunction }, keys }) {
    const found = organization.signer(signWith)
    const { curve } = found
    const count = { values: 0 }
    const messages = payloads.map((payload, index) =>
      messageToSign({ payload, encoding, hashFunction, curve, count, fieldPath: `parameters.payloads[${index}]` }),
    )
    return { signatures: messages.map((message) => keys.sign(found, message)) }
  },
})
