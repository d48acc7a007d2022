import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { BootProofView, noBootProof } from './shared/boot_proofs.ts'

export default defineQuery({
  name: 'get_boot_proof',
  summary: 'The boot proof of the key of an app proof: always 404, since no hardware attests the keys of this server.',
  parameters: fields({
    organizationId: Uuid,
    ephemeralKey: Type.String({ minLength: 1, maxLength: 520, expected: 'a public key in hex' }),
  }),
  result: Type.Object({ bootProof: BootProofView }),

  run() {
    throw noBootProof()
  },
})
