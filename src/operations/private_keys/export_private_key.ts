import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { exportContent } from '../../contract/explanation/exports.ts'
import { fields, TargetPublicKey, Uuid } from '../../contract/fields/fields.ts'
import { privateKey } from '../../contract/needs.ts'
import { privateKeyFacts } from '../../contract/record_facts.ts'
import { parseTargetPublicKey } from '../../protocol/bundles/bundles.ts'
import { oneStep } from '../../protocol/tools/steps.ts'

export default defineActivity({
  name: 'export_private_key',
  summary: 'Encrypts a private key to a key of the client.',
  policy: { resource: 'PRIVATE_KEY', action: 'EXPORT' },
  parameters: fields({ privateKeyId: Uuid, targetPublicKey: TargetPublicKey }),
  result: Type.Object({ privateKeyId: Type.String(), exportBundle: Type.String() }),
  check: ({ targetPublicKey }) => void parseTargetPublicKey(targetPublicKey, 'parameters.targetPublicKey'),
  needs: ({ privateKeyId }) => [privateKey(privateKeyId)],
  facts: ({ organization, parameters: { privateKeyId } }) =>
    oneStep(() => ({ keywords: { private_key: privateKeyFacts(organization.privateKeys.get(privateKeyId)) } })),
  explain: ({ parameters: { privateKeyId, targetPublicKey }, now }) => {
    const privateKey = now.find('private_key', privateKeyId)
    const exporting = {
      code: 'export_private_key',
      exported: now.named(privateKeyId),
      secret: 'privateKeyItself',
      addresses: privateKey?.addresses.map(({ address }) => address) ?? [],
      wasExported: privateKey?.exported,
      targetPublicKey,
    } as const
    return exportContent(exporting, now)
  },

  run({ organization, parameters, keys }) {
    const exported = organization.privateKeys.get(parameters.privateKeyId)
    const { privateKeyId } = exported
    const target = parseTargetPublicKey(parameters.targetPublicKey, 'parameters.targetPublicKey')
    using secret = keys.secretOf('private_key', privateKeyId)
    const exportBundle = keys.exportBundle(secret, target)
    organization.privateKeys.put({ ...exported, exported: true })
    return { privateKeyId, exportBundle }
  },
})
