import Type, { type Static } from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { payloadContent } from '../../contract/explanation/signing/payload_content.ts'
import { fields, list, payloadsPerRequestMax } from '../../contract/fields/fields.ts'
import {
  HashFunctionName,
  Payload,
  PayloadEncodingName,
  type RawPayloads,
  SignatureResult,
  SignWith,
} from '../../contract/fields/signature_fields.ts'
import { signer } from '../../contract/needs.ts'
import { oneStep } from '../../protocol/tools/steps.ts'
import { messagesToSign, rawPayloadFacts } from './shared/raw_payloads.ts'

const parameters = fields({
  signWith: SignWith,
  payloads: list(Payload, { itemsMin: 1, itemsMax: payloadsPerRequestMax }),
  encoding: PayloadEncodingName,
  hashFunction: HashFunctionName,
})

export default defineActivity({
  name: 'sign_raw_payloads',
  summary: 'Signs several payloads with one wallet account or private key: all of them or none.',
  policy: { resource: 'PRIVATE_KEY', action: 'SIGN' },
  parameters,
  result: Type.Object({ signatures: Type.Array(SignatureResult) }),
  concurrent: true,
  needs: ({ signWith }) => [signer(signWith)],
  facts: ({ organization, parameters }) =>
    oneStep(() => ({ keywords: rawPayloadFacts(organization, payloadsOf(parameters)) })),
  signaturesCount: ({ payloads }) => payloads.length,
  explain: ({ parameters, ...explaining }) => payloadContent(payloadsOf(parameters), explaining),

  async run({ organization, parameters, keys }) {
    const found = organization.signer(parameters.signWith)
    const signatures = await keys.signAll(found, messagesToSign(found, payloadsOf(parameters)))
    return { signatures: [...signatures] }
  },
})

function payloadsOf({ payloads, ...given }: Static<typeof parameters>): RawPayloads {
  const placed = payloads.map((payload, index) => ({ payload, fieldPath: `parameters.payloads[${index}]` }))
  return { ...given, payloads: placed }
}
