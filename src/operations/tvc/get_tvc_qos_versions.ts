import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'

export default defineQuery({
  name: 'get_tvc_qos_versions',
  summary: 'Returns the versions of QuorumOS that this server runs: none, since it runs no enclave.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ availableVersions: Type.Array(Type.String()), latestVersion: Type.String() }),
  needs: () => [],

  run: () => ({ availableVersions: [], latestVersion: '' }),
})
