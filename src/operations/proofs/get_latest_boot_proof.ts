import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { BootProofView, noBootProof } from './shared/boot_proofs.ts'

export default defineQuery({
  name: 'get_latest_boot_proof',
  summary: 'The newest boot proof of an enclave: always 404, since this server does not run in one.',
  parameters: fields({
    organizationId: Uuid,
    appName: Type.String({ minLength: 1, maxLength: 256, expected: 'a name' }),
  }),
  result: Type.Object({ bootProof: BootProofView }),

  run() {
    throw noBootProof()
  },
})
