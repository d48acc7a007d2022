import { expect, test } from 'vitest'
import { bearerParameters } from '../../src/contract/fields/bearer_token.ts'
import { isSecretField } from '../../src/contract/fields/secret_fields.ts'
import { operations } from '../../src/operations/catalogue.ts'

/** People who vote are shown the parameters of an activity, also by mail. Secrets among them are marked by their type. */
const ofSecrets =
  /secret|token|encrypted|cipher|signature|passcode|password|mnemonic|challenge|attestation|verifier|code$/i
/** They sound like secrets. Approvals of a manifest, and how long a new mnemonic shall be, are for people to see. */
const forPeople = ['bearerTokenTargetPublicKey', 'mnemonicLength', 'signature']

type Parameter = { readonly name: string; readonly isHidden: boolean }

/** The members of a schema at any depth, but for those of a hidden one, which nobody sees. */
function parametersIn(schema: unknown): readonly Parameter[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties, ...others } = schema as { readonly properties?: Readonly<Record<string, unknown>> }
  return [
    ...Object.values(others).flatMap(parametersIn),
    ...Object.entries(properties ?? {}).flatMap(([name, field]) => {
      const isHidden = isSecretField(field) || bearerParameters.has(name)
      return [{ name, isHidden }, ...(isHidden ? [] : parametersIn(field))]
    }),
  ]
}

test('a parameter that sounds like a secret is hidden, unless it is known to be for people', () => {
  const all = operations.flatMap((operation) =>
    operation.kind === 'activity' ? parametersIn(operation.types[0]?.parameters) : [],
  )
  expect(all.filter(({ isHidden }) => isHidden).length).toBeGreaterThan(10)
  const shown = all.filter(({ name, isHidden }) => !isHidden && ofSecrets.test(name)).map(({ name }) => name)
  expect([...new Set(shown)].toSorted()).toEqual(forPeople)
})
