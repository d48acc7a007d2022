/** A text for people that can be translated. `template` is its English form, with `{0}` and `{1}` for the values. */
export type Message = { readonly template: string; readonly values: readonly Value[] }

/** A message among the values is translated too. */
type Value = string | number | bigint | Message

/** Translations by their English templates. */
export type Translations = Readonly<Record<string, string>>

/** The tag of a template literal that is a message: the English text stays at its place in the code. */
export function message(parts: TemplateStringsArray, ...values: readonly Value[]): Message {
  return { template: parts.reduce((before, part, index) => `${before}{${index - 1}}${part}`), values }
}

/** The text of a message. It is English where there is no translation. */
export function textOf({ template, values }: Message, translations: Translations = {}): string {
  const text = translations[template] ?? template
  return text.replace(/\{([0-9])\}/g, (place, index) => {
    const value = values[Number(index)] ?? place
    return typeof value === 'object' ? textOf(value, translations) : String(value)
  })
}
