import type { IpAllowlist } from '../../../policy/ip_allowlist.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { changesContent } from '../../explanation/changes.ts'
import type { ExplainContext } from '../../explanation/explain_context.ts'
import type { Note, Row, Value } from '../../explanation/explanation.ts'
import type { Content } from '../../explanation/signing/signing_content.ts'
import { code, flag, list, listed, none, note, row, rowsOf, text, tree } from '../../explanation/values.ts'
import { apiKeyOf } from './ip_allowlists.ts'

type List = Pick<IpAllowlist, 'rules' | 'onEvaluationError'> & { readonly enabled?: boolean }

type Given = {
  readonly publicKey: string | undefined
  /** Undefined: the list is removed. */
  readonly to: List | undefined
  readonly allowLockout?: boolean | undefined
}

/** Explains a change of the list of the organization, or of one of its API keys. */
export function* explainIpAllowlist(
  name: string,
  { publicKey, to, allowLockout }: Given,
  { request, now }: Pick<ExplainContext<unknown>, 'request' | 'now'>,
): Steps<Content | undefined> {
  if (request instanceof Failure) return undefined
  const key = publicKey === undefined ? undefined : apiKeyOf(request.organization, publicKey)
  const before = key === undefined ? now.find('ip_allowlist', now.organizationId) : key.apiKey.ipAllowlist
  const subject = now.named(key?.apiKey.apiKeyId ?? now.organizationId)
  return yield* changesContent(now, {
    code: name,
    subject: [subject],
    rows: [
      row(key === undefined ? 'organization' : 'api_key', subject),
      ...(key === undefined ? [] : [row('user', now.named(key.user.userId))]),
      ...(allowLockout === true ? [row('allowLockout', flag(true))] : []),
      ...(now.isBefore && before !== undefined ? differenceRows(before, to) : []),
    ],
    warnings: now.isBefore && before !== undefined && isOn(before) ? wideningNotes(before, to) : [],
    changes: { rules: { from: before && listValue(before), to: to === undefined ? none : listValue(to) } },
  })
}

/** What requests count from then on that did not before. */
function wideningNotes(before: List, to: List | undefined): readonly Note[] {
  if (to === undefined || !isOn(to)) return [note('allowlistEnds')]
  const ranges = new Set(before.rules.map(({ cidr }) => cidr))
  const isWider =
    to.rules.some(({ cidr }) => !ranges.has(cidr)) ||
    (to.onEvaluationError === 'ALLOW' && before.onEvaluationError !== 'ALLOW')
  return isWider ? [note('allowlistWidens')] : []
}

/** The list of an API key has no switch. */
function isOn(given: List | undefined): boolean {
  return given !== undefined && given.enabled !== false
}

/** The ranges that only one of two lists has. */
function differenceRows(before: List, after: List | undefined): readonly Row[] {
  const rangesOf = (given: List | undefined) => (given?.rules ?? []).map(({ cidr }) => cidr)
  const [from, to] = [rangesOf(before), rangesOf(after)]
  const shown = (ranges: readonly string[]) =>
    ranges.length === 0 ? undefined : list(listed(ranges, (cidr) => text(cidr)))
  return rowsOf({
    added: shown(to.filter((cidr) => !from.includes(cidr))),
    removed: shown(from.filter((cidr) => !to.includes(cidr))),
  })
}

function listValue({ rules, onEvaluationError, enabled }: List): Value {
  return tree({
    enabled: enabled === undefined ? undefined : flag(enabled),
    cidr: list(
      listed(rules, ({ cidr, label }) =>
        label === undefined ? text(cidr) : tree({ cidr: text(cidr), label: text(label) }),
      ),
    ),
    onEvaluationError: code(onEvaluationError),
  })
}
