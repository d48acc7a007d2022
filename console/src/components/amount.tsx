import { useSpoken } from '../texts/texts.tsx'

/** A decimal number with separators, digit for digit: it is never rounded. `unit` stands behind it. */
export function Amount({ value, unit }: { readonly value: string; readonly unit?: string }) {
  const { language } = useSpoken()
  return (
    <span className="amount">
      {grouped(value, language)}
      {unit !== undefined && <span className="amount-unit"> {unit}</span>}
    </span>
  )
}

/** Groups the digits of a decimal number. Any other text is shown as it is. */
export function grouped(value: string, language: string): string {
  const [, sign = '', whole = '', fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  if (whole === '') return value
  const format = new Intl.NumberFormat(language)
  const point = format.formatToParts(0.1).find(({ type }) => type === 'decimal')?.value ?? '.'
  return `${sign}${format.format(BigInt(whole))}${fraction === undefined ? '' : `${point}${fraction}`}`
}
