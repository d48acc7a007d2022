import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/wire/json.ts'

/**
 * Returns what finds the first difference of two values. A text of `made` stands for one that the vault has chosen: for the
 * same text each time, and for none that another text of `made` stands for.
 */
export function createComparison(made: ReadonlySet<string>) {
  const chosen = new Map<string, string>()
  const madeBy = new Map<string, string>()

  function isChosen(text: string, recorded: JsonValue | undefined): boolean {
    if (typeof recorded !== 'string') return false
    const isSame = (chosen.get(text) ?? recorded) === recorded && (madeBy.get(recorded) ?? text) === text
    chosen.set(text, recorded)
    madeBy.set(recorded, text)
    return isSame
  }

  /** Says where the recorded value differs. Undefined: nowhere. `path`: the name of both. */
  return function difference(
    expected: JsonValue | undefined,
    recorded: JsonValue | undefined,
    path: string,
  ): string | undefined {
    if (typeof expected === 'string' && made.has(expected) && isChosen(expected, recorded)) return undefined
    const pairs = pairsOf(expected, recorded)
    if (pairs === undefined) {
      return expected === recorded ? undefined : `${path} is ${shown(recorded)}, not ${shown(expected)}`
    }
    for (const [name, one, other] of pairs) {
      const found = difference(one, other, `${path}${name}`)
      if (found !== undefined) return found
    }
    return undefined
  }
}

type Pair = readonly [name: string, expected: JsonValue | undefined, recorded: JsonValue | undefined]

/** The members of two lists or two objects. */
function pairsOf(expected: JsonValue | undefined, recorded: JsonValue | undefined): readonly Pair[] | undefined {
  if (Array.isArray(expected) && Array.isArray(recorded)) {
    const count = Math.max(expected.length, recorded.length)
    return Array.from({ length: count }, (_, at) => [`[${at}]`, expected[at], recorded[at]] as const)
  }
  if (!isObject(expected) || !isObject(recorded)) return undefined
  const names = new Set([...Object.keys(expected), ...Object.keys(recorded)])
  return [...names].map((name) => [`.${name}`, memberOf(expected, name), memberOf(recorded, name)] as const)
}

function memberOf(value: Readonly<Record<string, JsonValue>>, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

const charactersMax = 200

function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value)
}
