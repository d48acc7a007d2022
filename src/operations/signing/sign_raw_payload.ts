import type { Static } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { payloadContent } from '../../contract/explanation/signing/payload_content.ts'
import { fields } from '../../contract/fields/fields.ts'
import {
  HashFunctionName,
  Payload,
  PayloadEncodingName,
  type RawPayloads,
  SignatureResult,
  SignWith,
} from '../../contract/fields/signature_fields.ts'
import { signer } from '../../contract/needs.ts'
import { messageToSignInSteps } from '../../protocol/chains/payloads.ts'
import { inSteps, oneStep } from '../../protocol/tools/steps.ts'
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
  facts: ({ organization, parameters }) =>
    oneStep(() => ({ keywords: rawPayloadFacts(organization, payloadsOf(parameters)) })),
  explain: ({ parameters, ...explaining }) => payloadContent(payloadsOf(parameters), explaining),

  async run({ organization, parameters: { signWith, ...given }, keys, pause }) {
    const found = organization.signer(signWith)
    const reading = messageToSignInSteps({ ...given, curve: found.curve, fieldPath: payloadPath })
    return keys.sign(found, await inSteps(reading, pause))
  },
})

function payloadsOf({ payload, ...given }: Static<typeof parameters>): RawPayloads {
  return { ...given, payloads: [{ payload, fieldPath: payloadPath }] }
}
