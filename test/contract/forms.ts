import { type Place, textOf, valueAt } from '../support/json_places.ts'
import { type Form, resolve } from '../support/wire_forms.ts'

/** Where the parts of a form stand in a value, each with its place and a name: the place with `[]` for any index. */

type Field = { readonly form: Form; readonly isOptional: boolean }

/** Every field of the form that the value has, and the first item of every list. */
export function fieldsIn(
  form: Form,
  value: unknown,
  at: Place = [],
): readonly { readonly place: Place; readonly name: string; readonly field: Field }[] {
  const resolved = resolve(form)
  if (resolved.kind === 'list') {
    const place = [...at, 0]
    const field = { form: resolved.item, isOptional: false }
    return [{ place, name: nameOf(place), field }, ...fieldsIn(resolved.item, value, place)]
  }
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => {
    const place = [...at, name]
    if (valueAt(value, place) === undefined) return []
    return [{ place, name: nameOf(place), field }, ...fieldsIn(field.form, value, place)]
  })
}

/** Every field of the form, as `name` of `fieldsIn` has it. */
export function fieldNamesOf(form: Form, at: Place = []): readonly string[] {
  const resolved = resolve(form)
  if (resolved.kind === 'list') return [nameOf([...at, 0]), ...fieldNamesOf(resolved.item, [...at, 0])]
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => [
    nameOf([...at, name]),
    ...fieldNamesOf(field.form, [...at, name]),
  ])
}

/** Every enum of the form, by its place. */
export function enumsOf(form: Form, at: Place = []): readonly (readonly [string, readonly string[]])[] {
  const resolved = resolve(form)
  if (resolved.kind === 'enum') return [[nameOf(at), resolved.values]]
  if (resolved.kind === 'list') return enumsOf(resolved.item, [...at, 0])
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => enumsOf(field.form, [...at, name]))
}

/** Every value of an enum of the form in the value, by the same place. */
export function enumsIn(form: Form, value: unknown, at: Place = []): readonly (readonly [string, string])[] {
  const resolved = resolve(form)
  if (value === undefined) return []
  if (resolved.kind === 'enum') return [[nameOf(at), String(value)]]
  if (resolved.kind === 'list' && Array.isArray(value)) {
    return value.flatMap((item) => enumsIn(resolved.item, item, [...at, 0]))
  }
  if (resolved.kind !== 'object') return []
  return [...resolved.fields].flatMap(([name, field]) => enumsIn(field.form, valueAt(value, [name]), [...at, name]))
}

const nameOf = (place: Place) => textOf(place).replaceAll('[0]', '[]')

export function ofAnotherType(form: Form): unknown {
  const resolved = resolve(form)
  if (resolved.kind === 'object') return []
  if (resolved.kind === 'list') return {}
  return resolved.kind === 'primitive' && resolved.type !== 'string' ? 'text' : 7
}
