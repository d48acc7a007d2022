import type { TSchema } from 'typebox'
import { onceFor } from '../../protocol/tools/once_for.ts'

const isAddressIn = Symbol('webhook address')

type Members = Readonly<Record<string, unknown>>

/**
 * Members for the schema of a text that is the address of a webhook, which no event names. `isIn`: whether it is one
 * beside these other members. The key of the mark is a symbol: no document shows it.
 */
export function webhookAddress(isIn: (members: Members) => boolean = () => true) {
  return { [isAddressIn]: isIn }
}

/** Whether a value of this schema can hold such an address. */
export const canHoldAddress: (schema: TSchema) => boolean = onceFor((schema) => {
  const items = itemsOf(schema)
  const parts = [...Object.values(propertiesOf(schema)), ...(items === undefined ? [] : [items])]
  return markOf(schema) !== undefined || parts.some(canHoldAddress)
})

/** A value of this schema with an empty text in place of each such address. `members`: those beside it. */
export function withoutAddresses(schema: TSchema | undefined, value: unknown, members: Members = {}): unknown {
  if (schema === undefined || !canHoldAddress(schema)) return value
  if (markOf(schema)?.(members) === true) return ''
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withoutAddresses(itemsOf(schema), item))
  const properties = propertiesOf(schema)
  const named = value as Members
  return Object.fromEntries(
    Object.entries(named).map(([name, member]) => [name, withoutAddresses(properties[name], member, named)]),
  )
}

function itemsOf(schema: TSchema): TSchema | undefined {
  return Reflect.get(schema, 'items')
}

function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> {
  return Reflect.get(schema, 'properties') ?? {}
}

function markOf(schema: TSchema): ((members: Members) => boolean) | undefined {
  return Reflect.get(schema, isAddressIn)
}
