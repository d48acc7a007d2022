import { isUuid } from '../../protocol/wire/identifiers.ts'
import { bearerParameters } from '../fields/bearer_token.ts'
import { isIdField } from '../fields/ids.ts'
import { isSecretField } from '../fields/secret_fields.ts'
import type { Row, Value } from './explanation.ts'
import {
  code,
  duration,
  flag,
  hex,
  list,
  listed,
  none,
  note,
  number,
  row,
  rowsOf,
  text,
  wholeText,
} from './shown_values.ts'
import { contactInToken, identityInToken, isPasskey, passkeyValues } from './stated_credentials.ts'

/** Shows the id of something here, with its name. */
export type Named = (id: string) => Value

/** Parameters that are whole seconds, as strings. */
const durations: ReadonlySet<string> = new Set([
  'expirationSeconds',
  'sessionExpirationSeconds',
  'otpExpirationSeconds',
])

/**
 * Shows every parameter under its name. Ids have the names of what they lead to. `schema` is the one of the parameters,
 * and alone tells secrets, words of the interface, ids and bytes from the texts that somebody made up.
 */
export function parameterRows(parameters: unknown, schema: unknown, named: Named): readonly Row[] {
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) return []
  const isOfPasskey = isPasskey(parameters)
  return Object.entries(parameters).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    if (name === 'oidcToken') return [row('identity', identityInToken(String(value)))]
    if (name === 'verificationToken') return [row('contact', contactInToken(String(value)))]
    if (name === 'attestation' && isOfPasskey) return rowsOf(passkeyValues(parameters))
    const field = member(member(schema, 'properties'), name)
    if (isSecretField(field) || bearerParameters.has(name)) return [row(name, note('hidden'))]
    if (durations.has(name)) return [row(name, duration(String(value)))]
    return [row(name, shown(value, field, named))]
  })
}

function shown(value: unknown, schema: unknown, named: Named): Value {
  if (typeof value === 'string') return shownText(value, schema, named)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? number(value) : text(String(value))
  if (typeof value === 'boolean') return flag(value)
  if (Array.isArray(value)) return list(listed(value, (item: unknown) => shown(item, member(schema, 'items'), named)))
  return value === null ? none : { kind: 'tree', rows: parameterRows(value, schema, named) }
}

function shownText(given: string, schema: unknown, named: Named): Value {
  if (given === '') return none
  const words = member(schema, 'enum')
  if (Array.isArray(words) && words.includes(given)) return code(given)
  if (isIdField(schema) && isUuid(given)) return named(given.toLowerCase())
  return isHexField(schema) && /^([0-9a-f]{2}){32,}$/i.test(given) ? hex(given) : wholeText(given)
}

/** The schema of a field says in `expected` which text it takes. */
function isHexField(schema: unknown): boolean {
  return /\bhex\b/.test(String(member(schema, 'expected')))
}

function member(schema: unknown, name: string): unknown {
  return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, name)
    ? Object.entries(schema).find(([key]) => key === name)?.[1]
    : undefined
}

/** The ids in parameters, each once: everything that looks like one. */
export function idsIn(parameters: unknown): readonly string[] {
  const found = new Set<string>()
  const pending: unknown[] = [parameters]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string' && isUuid(value)) found.add(value.toLowerCase())
    else if (typeof value === 'object' && value !== null) pending.push(...Object.values(value).slice(0, idsMax))
    if (found.size >= idsMax) break
  }
  return [...found]
}

/** The ids of one request whose names are looked up. */
const idsMax = 2_000
