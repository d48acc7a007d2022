/** A place in a JSON value: the names and indexes on the way to it. The place of the value itself is `[]`. */
export type Place = readonly (string | number)[]

/** Every place in a value, the value itself first. */
export function placesIn(value: unknown, at: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, [...at, index]))
    : Object.entries(value).flatMap(([name, member]) => placesIn(member, [...at, name]))
  return [at, ...inner]
}

export function valueAt(value: unknown, place: Place): unknown {
  return place.reduce(
    (at: unknown, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    value,
  )
}

/** A copy with `replacement` at the place. A name that is missing is added. */
export function replacedAt(value: unknown, place: Place, replacement: unknown): unknown {
  const [step, ...rest] = place
  if (step === undefined) return replacement
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? replacedAt(item, rest, replacement) : item))
  }
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const others = members.filter(([name]) => name !== String(step))
  const before = members.find(([name]) => name === String(step))?.[1]
  // Not by assignment: `__proto__` is a name like any other here.
  return Object.fromEntries([...others, [step, replacedAt(before, rest, replacement)]])
}

/** A copy without the place. */
export function removedAt(value: unknown, place: Place): unknown {
  const parent = place.slice(0, -1)
  const last = place.at(-1)
  if (last === undefined) return null
  const holder = valueAt(value, parent)
  const left = Array.isArray(holder)
    ? holder.filter((_, index) => index !== last)
    : Object.fromEntries(Object.entries(holder ?? {}).filter(([name]) => name !== last))
  return replacedAt(value, parent, left)
}

/** The place as messages write it: `parameters.accounts[2].path`. */
export function textOf(place: Place): string {
  return place.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? step : `${text}.${step}`
  }, '')
}
