import { changesContent } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { ExplainContext, Now } from '../../../contract/explanation/explain_context.ts'
import type { Note, Row, Value } from '../../../contract/explanation/explanation.ts'
import {
  code,
  flag,
  hex,
  list,
  listed,
  namedInTitle,
  none,
  note,
  noteOf,
  row,
  rowsOf,
  text,
  tree,
} from '../../../contract/explanation/shown_values.ts'
import { type IpAllowlist, listInForce } from '../../../policy/ip_allowlist.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import { formatIpRange, holdsRange, parseIpRange } from '../../../protocol/wire/ip_ranges.ts'
import { apiKeyOf } from './ip_allowlists.ts'

type List = Pick<IpAllowlist, 'rules' | 'onEvaluationError'> & { readonly enabled?: boolean }

type ListChange = {
  readonly publicKey: string | undefined
  /** Undefined: the list is removed. */
  readonly to: List | undefined
  readonly allowLockout?: boolean | undefined
}

/** Explains a change of the list of the organization, or of one of its API keys. */
export function* explainIpAllowlist(
  name: string,
  { publicKey, to, allowLockout }: ListChange,
  { request, now }: Pick<ExplainContext<unknown>, 'request' | 'now'>,
): Steps<Content | undefined> {
  if (request instanceof Failure) return undefined
  const key = publicKey === undefined ? undefined : orFailure(() => apiKeyOf(request.organization, publicKey))
  if (key instanceof Failure) return yield* ofNoKey(name, { publicKey, to, missing: key }, now)
  const ofOrganization = now.find('ip_allowlist', now.organizationId)
  const own = key === undefined ? ofOrganization : key.apiKey.ipAllowlist
  const inForce = (list: List | undefined) => (key === undefined ? list : listOfKey(list, ofOrganization))
  const before = inForce(own)
  // While the list of the organization is off, that of a key holds nothing off.
  const holds = key === undefined || isOn(ofOrganization)
  const subject = now.named(key?.apiKey.apiKeyId ?? now.organizationId)
  return yield* changesContent(now, {
    code: name,
    subject: [subject],
    rows: [
      row(key === undefined ? 'organization' : 'api_key', subject),
      ...(key === undefined ? [] : [row('user', now.named(key.user.userId))]),
      ...(allowLockout === true ? [row('allowLockout', flag(true))] : []),
      ...(now.isBefore && before !== undefined ? differenceRows(before, inForce(to)) : []),
    ],
    warnings: now.isBefore
      ? [...wideningNotes(before, inForce(to)), ...(holds ? lossNotes(before, inForce(to), { allowLockout }) : [])]
      : [],
    changes: { rules: { from: before && listValue(before), to: to === undefined ? none : listValue(to) } },
  })
}

/** A request about a key that nobody has can only fail. Somebody may get the key while it waits. */
function ofNoKey(
  name: string,
  { publicKey = '', to, missing }: Pick<ListChange, 'publicKey' | 'to'> & { readonly missing: Failure },
  now: Now,
): Steps<Content> {
  return changesContent(now, {
    code: name,
    subject: [hex(publicKey)],
    rows: [row('publicKey', hex(publicKey)), row('rules', to === undefined ? none : listValue(to))],
    warnings: now.isBefore ? [note('unreadable', missing.message)] : [],
  })
}

/**
 * The list that holds for an API key: that of the organization where the key has none of its own. While the organization's
 * is off, no list holds, and that of the key is the one that will.
 */
function listOfKey(own: List | undefined, ofOrganization: List | undefined): List | undefined {
  return ofOrganization === undefined || !isOn(ofOrganization) ? own : listInForce(ofOrganization, own)
}

/** Warns that requests count from then on that did not before. */
function wideningNotes(before: List | undefined, to: List | undefined): readonly Note[] {
  if (before === undefined || !isOn(before)) return []
  if (to === undefined || !isOn(to)) return [note('allowlistEnds')]
  const held = rangesOf(before)
  const isWider =
    rangesOf(to).some((range) => !held.some((one) => holdsRange(one, range))) ||
    (to.onEvaluationError === 'ALLOW' && before.onEvaluationError !== 'ALLOW')
  return isWider ? [note('allowlistWidens')] : []
}

/**
 * Warns that requests from elsewhere count no more, where those from everywhere did, or from ranges of which not all is in
 * one that stays. Without `allowLockout` the request fails if it shuts out the address of its last vote.
 */
function lossNotes(
  before: List | undefined,
  to: List | undefined,
  { allowLockout = false }: Pick<ListChange, 'allowLockout'>,
): readonly Note[] {
  if (to === undefined || !isOn(to)) return []
  const ranges = to.rules.map(({ cidr }) => text(cidr))
  if (ranges.length === 0) return [noteOf('allowlistOnly', none)]
  const lockout = allowLockout ? [note('allowlistUnchecked')] : []
  if (before === undefined || !isOn(before)) return [noteOf('allowlistOnly', list(namedInTitle(ranges))), ...lockout]
  const kept = rangesOf(to)
  const lost = rangesOf(before).filter((range) => !kept.some((one) => holdsRange(one, range)))
  if (lost.length === 0) return []
  const shown = namedInTitle(lost.map((range) => text(formatIpRange(range))))
  return [noteOf('allowlistNarrows', list(shown)), ...lockout]
}

function rangesOf({ rules }: List) {
  return rules.flatMap(({ cidr }) => parseIpRange(cidr) ?? [])
}

/** The list of an API key has no switch. */
function isOn(given: List | undefined): boolean {
  return given !== undefined && given.enabled !== false
}

/** The ranges that only one of two lists has. */
function differenceRows(before: List, after: List | undefined): readonly Row[] {
  const writtenIn = (given: List | undefined) => (given?.rules ?? []).map(({ cidr }) => cidr)
  const [from, to] = [writtenIn(before), writtenIn(after)]
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
