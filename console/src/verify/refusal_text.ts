import type { Translations } from '../../../src/policy/language/message.ts'

/**
 * Returns a refusal in the language of these translations. The readers of the formats tell it in English, as the command
 * shows it. So it is found by the template whose text it is, and a value that is a refusal itself is translated too.
 */
export function refusalText(reason: string, translations: Translations): string {
  for (const [template, translated] of Object.entries(translations)) {
    const values = patternOf(template).exec(reason)?.slice(1)
    if (values === undefined) continue
    return translated.replace(/\{([0-9])\}/g, (_, index) => refusalText(values[Number(index)] ?? '', translations))
  }
  return reason
}

function patternOf(template: string): RegExp {
  const literals = template.split(/\{[0-9]\}/).map((text) => text.replace(/[^\w\s]/g, '\\$&'))
  return new RegExp(`^${literals.join('(.*?)')}$`, 's')
}
