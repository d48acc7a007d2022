import { type ReactNode, useState } from 'react'
import { firstOf } from '../../../../src/contract/explanation/texts/runs.ts'
import { useSpoken } from '../../texts/texts.tsx'

/** How many more are shown at once: a page with a thousand cards at a time is slow on a phone. */
const moreMax = 100

/** Shows the first of many items, and a button that shows more of them and says how many are left. */
export function FirstOf<T>({ items, first, children }: FirstOfProps<T>) {
  const { language, texts } = useSpoken()
  const [count, setCount] = useState(first)
  const shown = firstOf(items, count)
  const left = items.length - shown.length
  const format = new Intl.NumberFormat(language)
  return (
    <>
      {children(shown)}
      {left > 0 && (
        <button type="button" className="meaning-more" onClick={() => setCount(count + moreMax)}>
          {texts.meaning.showMore(format.format(Math.min(left, moreMax)), format.format(left))}
        </button>
      )}
    </>
  )
}

type FirstOfProps<T> = {
  readonly items: readonly T[]
  readonly first: number
  readonly children: (shown: readonly T[]) => ReactNode
}
