import { defineActivity, olderType } from '../../contract/define.ts'
import { payloadContent } from '../../contract/explanation/signing/payload_content.ts'
import { fields } from '../../contract/fields/fields.ts'
import {
  HashFunctionName,
  Payload,
  PayloadEncodingName,
  SignatureResult,
  SignWith,
} from '../../contract/fields/signature_fields.ts'
import { signer } from '../../contract/needs.ts'
import { messageToSignInSteps } from '../../protocol/chains/payloads.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { rawPayloadFacts } from './shared/raw_payloads.ts'

const payloadPath = 'parameters.payload'

const parameters = fields({
  signWith: SignWith,
  payload: Payload,
  encoding: PayloadEncodingName,
  hashFunction: HashFunctionName,
})

export default defineActivity({
  name: 'sign_raw_payload',
  summary: 'Signs one payload with a wallet account or a private key.',
  type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
  resultKey: 'signRawPayloadResult',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  parameters,
  result: SignatureResult,
  concurrent: true,
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD',
      parameters: fields({
        privateKeyId: SignWith,
        payload: Payload,
        encoding: PayloadEncodingName,
        hashFunction: HashFunctionName,
      }),
      upgrade: ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }),
    }),
  ],
  needs: ({ signWith }) => [signer(signWith)],
  facts: ({ organization, parameters: { payload, ...given } }) =>
    rawPayloadFacts(organization, { ...given, payloads: [{ payload, fieldPath: payloadPath }] }),
  explain: ({ parameters, ...explaining }) =>
    payloadContent({ ...parameters, payloads: [{ payload: parameters.payload, fieldPath: payloadPath }] }, explaining),

  async run({ organization, parameters: { signWith, ...given }, keys, pause }) {
    const found = organization.signer(signWith)
    const reading = messageToSignInSteps({ ...given, curve: found.curve, fieldPath: payloadPath })
    return keys.sign(found, await inSteps(reading, pause))
  },
})
