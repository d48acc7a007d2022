import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { BootProofView, noBootProof } from './shared/boot_proofs.ts'

export default defineQuery({
  name: 'get_latest_boot_proof',
  summary: 'Always answers 404: this server has no boot proofs, because it does not run in an enclave.',
  parameters: fields({
    organizationId: Uuid,
    appName: Type.String({ minLength: 1, maxLength: 256, expected: 'a name' }),
  }),
  result: Type.Object({ bootProof: BootProofView }),

  run() {
    throw noBootProof()
  },
})
