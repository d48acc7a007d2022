import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { BootProofView, noBootProof } from './shared/boot_proofs.ts'

export default defineQuery({
  name: 'get_boot_proof',
  summary: 'Always answers 404: this server has no boot proofs, because no hardware attests its keys.',
  parameters: fields({
    organizationId: Uuid,
    ephemeralKey: Type.String({ minLength: 1, maxLength: 520, expected: 'a public key in hex' }),
  }),
  result: Type.Object({ bootProof: BootProofView }),

  run() {
    throw noBootProof()
  },
})
