import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, namedFields } from '../../contract/fields/fields.ts'
import { SignWith } from '../../contract/fields/signature_fields.ts'
import type { Signer } from '../../contract/keys.ts'
import { signer } from '../../contract/needs.ts'
import { signerFacts } from '../../contract/record_facts.ts'
import {
  checkLightningReceive,
  lightningThresholdMin,
  operatorRecipientsMax,
} from '../../protocol/chains/spark_lightning.ts'
import { oneStep } from '../../protocol/tools/steps.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'

const operatorIdCharactersMax = 256

const OperatorRecipient = namedFields('SparkOperatorRecipient', {
  operatorId: Type.String({
    minLength: 1,
    maxLength: operatorIdCharactersMax,
    expected: `a text of 1 to ${operatorIdCharactersMax} characters`,
  }),
  encryptionPublicKey: Type.String({
    maxLength: 66,
    expected: 'a compressed public key of secp256k1 in hex',
  }),
})

export default defineActivity({
  name: 'spark_prepare_lightning_receive',
  summary: 'Makes the preimage of a Lightning payment and splits it into shares for the operators of Spark.',
  policy: { resource: 'WALLET', action: 'SIGN' },
  parameters: fields({
    signWith: SignWith,
    lightningReceive: fields({
      threshold: Type.Integer({
        minimum: lightningThresholdMin,
        maximum: operatorRecipientsMax,
        expected: `a whole number from ${lightningThresholdMin} to the number of operatorRecipients`,
      }),
      operatorRecipients: list(OperatorRecipient, { itemsMin: lightningThresholdMin, itemsMax: operatorRecipientsMax }),
    }),
  }),
  result: Type.Object({
    operatorPackages: Type.Array(Type.Object({ operatorId: Type.String(), encryptedPackage: Type.String() })),
    paymentHash: Type.String(),
  }),
  concurrent: true,
  appProofs: 'none',
  check: ({ lightningReceive }) =>
    checkLightningReceive(lightningReceive, { fieldPath: 'parameters.lightningReceive' }),
  needs: ({ signWith }) => [signer(signWith)],
  facts: ({ organization, parameters: { signWith } }) =>
    oneStep(() => ({ keywords: signerFacts(organization, signWith) })),

  run({ organization, parameters: { signWith, lightningReceive }, keys }) {
    requireSparkAddress(organization.signer(signWith))
    const { operatorPackages, paymentHash } = keys.lightningReceive(lightningReceive)
    return { operatorPackages: [...operatorPackages], paymentHash }
  },
})

/** The address only says which wallet gets the payment: nothing is signed with its key. */
function requireSparkAddress({ addressFormat }: Signer): void {
  if (addressFormat === 'ADDRESS_FORMAT_SPARK_MAINNET' || addressFormat === 'ADDRESS_FORMAT_SPARK_REGTEST') return
  throw fieldInvalid(
    'parameters.signWith',
    'an address of the format ADDRESS_FORMAT_SPARK_MAINNET or ADDRESS_FORMAT_SPARK_REGTEST',
  )
}
