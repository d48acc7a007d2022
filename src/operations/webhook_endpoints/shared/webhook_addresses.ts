import { webhookFeatureName } from '../../../protocol/wire/webhooks.ts'

/**
 * The value with an empty text in place of each address to which webhooks go: `url`, which only their operations have,
 * and the value of the feature. The same value if it has none.
 */
export function withoutAddresses(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const shown = value.map(withoutAddresses)
    return shown.some((item, index) => item !== value[index]) ? shown : value
  }
  const members: [string, unknown][] = Object.entries(value)
  const addressName = members.some(([name, member]) => name === 'name' && member === webhookFeatureName)
    ? 'value'
    : 'url'
  const shown = members.map(([name, member]): [string, unknown] => [
    name,
    name === addressName && typeof member === 'string' ? '' : withoutAddresses(member),
  ])
  return shown.some(([, member], index) => member !== members[index]?.[1]) ? Object.fromEntries(shown) : value
}
