type Rule = { readonly cidr: string; readonly label?: string }

/** The rules as lines to edit: a range, and behind a blank what it is called. */
export function textOf(rules: readonly Rule[]): string {
  return rules.map(({ cidr, label }) => (label === undefined ? cidr : `${cidr} ${label}`)).join('\n')
}

/** Reads such lines. Empty ones are passed over. The server judges the ranges. */
export function rulesIn(text: string): readonly Rule[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [cidr = '', ...words] = line.split(/\s+/)
      return words.length === 0 ? { cidr } : { cidr, label: words.join(' ') }
    })
}
