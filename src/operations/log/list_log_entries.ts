import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { LogBundleView, logBundleView } from './shared/log_views.ts'

const LogId = Type.String({ pattern: '^[0-9a-f]{32}$', expected: 'the last part of the origin of a log' })
const Count = Type.String({ pattern: '^(0|[1-9][0-9]{0,14})$', expected: 'a number' })

export default defineQuery({
  name: 'list_log_entries',
  isOwn: true,
  summary:
    'Lists the entries of an organization in a transparency log, with what proves that they are in the tree of that size.',
  takesLong: true,
  parameters: fields({ organizationId: Uuid, logId: LogId, size: Count, fromBundle: optional(Count) }),
  result: Type.Object({ bundles: Type.Array(LogBundleView), nextBundle: optional(Type.String()) }),
  needs: ({ logId, size, fromBundle = '0' }) => [
    { need: 'logBundles', logId, size: Number(size), from: Number(fromBundle) },
  ],

  run({ organization, parameters: { logId, size } }) {
    const { bundles, next } = organization.logged()
    if (bundles === undefined) throw new Failure('NOT_FOUND', `the log ${logId} has no tree of ${size} entries`)
    return { bundles: bundles.map(logBundleView), ...(next === undefined ? {} : { nextBundle: String(next) }) }
  },
})
