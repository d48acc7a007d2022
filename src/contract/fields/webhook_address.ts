import type { TSchema } from 'typebox'

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
export function canHoldAddress(schema: TSchema): boolean {
  return markOf(schema) !== undefined || partsOf(schema).some(canHoldAddress)
}

/** A value of this schema with an empty text in place of each such address. */
export function withoutAddresses(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !canHoldAddress(schema)) return value
  if (Array.isArray(value)) return value.map((item) => withoutAddresses(Reflect.get(schema, 'items'), item))
  const properties = propertiesOf(schema)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const of = properties[name]
      if (of === undefined) return [name, member]
      return [name, markOf(of)?.(value as Members) === true ? '' : withoutAddresses(of, member)]
    }),
  )
}

function partsOf(schema: TSchema): readonly TSchema[] {
  const items: TSchema | undefined = Reflect.get(schema, 'items')
  return [...Object.values(propertiesOf(schema)), ...(items === undefined ? [] : [items])]
}

function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> {
  return Reflect.get(schema, 'properties') ?? {}
}

function markOf(schema: TSchema): ((members: Members) => boolean) | undefined {
  return Reflect.get(schema, isAddressIn)
}
