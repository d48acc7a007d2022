import { describe, expect, test } from 'vitest'
import { type IpAllowlist, isAllowedSource } from './ip_allowlist.ts'

const listOf = (cidrs: readonly string[], onEvaluationError: IpAllowlist['onEvaluationError'] = 'DENY') => ({
  rules: cidrs.map((cidr) => ({ cidr, createdAtMs: 0 })),
  onEvaluationError,
})
const office = listOf(['203.0.113.0/24', '2001:db8::/48'])
const [inside, outside] = ['203.0.113.7', '198.51.100.1']

describe('a source is allowed or not', () => {
  test.each<[string, IpAllowlist, IpAllowlist | undefined, string | undefined, boolean]>([
    ['in a range', office, undefined, inside, true],
    ['in another range of the list', office, undefined, '2001:db8::7', true],
    ['in none', office, undefined, outside, false],
    ['wrapped in IPv6', office, undefined, `::ffff:${inside}`, true],
    ['with a list without rules', listOf([]), undefined, inside, false],
    ['in the key’s list', office, listOf([`${outside}/32`]), outside, true],
    ['not in the key’s list, although in the organization’s', office, listOf([`${outside}/32`]), inside, false],
    ['with a key’s list without rules', office, listOf([]), inside, true],
    ['in the key’s list of an organization whose own is empty', listOf([]), listOf([`${inside}/32`]), inside, true],
    ['unknown', office, undefined, undefined, false],
    ['no address', office, undefined, 'localhost', false],
    ['unknown, where that is allowed', listOf([], 'ALLOW'), undefined, undefined, true],
    ['unknown, where the organization allows that and the key does not', listOf([], 'ALLOW'), office, undefined, false],
    ['unknown, where the key allows that', office, listOf(['1.2.3.4/32'], 'ALLOW'), undefined, true],
    ['unknown, where a key’s list without rules allows that', office, listOf([], 'ALLOW'), undefined, false],
    ['known and elsewhere, where unknown ones are allowed', listOf([], 'ALLOW'), undefined, outside, false],
  ])('%s', (_name, organizationList, keyList, sourceAddress, isAllowed) => {
    expect(isAllowedSource({ organizationList, keyList, sourceAddress })).toBe(isAllowed)
  })
})
