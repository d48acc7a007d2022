/** The values under a name in the parameters of an activity, whose operation is not known here. */
function parameterOf(parameters: unknown, name: string): unknown {
  if (typeof parameters !== 'object' || parameters === null) return undefined
  return Object.entries(parameters).find(([key]) => key === name)?.[1]
}

/** The texts of a parameter that is a text or a list of texts. None if it is absent or something else. */
export function textsUnder(parameters: unknown, name: string): readonly string[] {
  return [parameterOf(parameters, name)].flat().filter((value) => typeof value === 'string')
}

export function textUnder(parameters: unknown, name: string): string | undefined {
  return textsUnder(parameters, name)[0]
}

export function isTrueUnder(parameters: unknown, name: string): boolean {
  return parameterOf(parameters, name) === true
}

/** Every text of the parameters, at any depth, with the name under which it stands. */
export function* namedTextsIn(parameters: unknown): Iterable<readonly [string, string]> {
  const pending: (readonly [string, unknown])[] = [['', parameters]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next
    if (typeof value === 'string') yield [name, value]
    else if (Array.isArray(value)) for (const item of value) pending.push([name, item])
    else if (typeof value === 'object' && value !== null) pending.push(...Object.entries(value))
  }
}
