import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'

const loadQuestion = async () => ({ default: (await import('./unsaved_question.tsx')).UnsavedQuestion })
const Question = lazy(loadQuestion)

const leavesPage: ShouldBlockFn = ({ current, next }) => current.pathname !== next.pathname

/**
 * Asks before the page is left while a form holds text that is not saved. The browser asks in its own words before the
 * tab is closed or loaded anew. A form that is saved leaves with `ignoreBlocker`. This stands beside the form, not in it:
 * the form would take the answer for its own submission.
 */
export function UnsavedGuard({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: leavesPage,
    enableBeforeUnload: isUnsaved,
    disabled: !isUnsaved,
    withResolver: true,
  })
  useEffect(() => {
    // The network may be gone by the time at which the question is asked.
    if (isUnsaved) void loadQuestion().catch(() => undefined)
  }, [isUnsaved])
  if (status !== 'blocked') return null
  return (
    <Suspense>
      <Question onLeave={proceed} onStay={reset} />
    </Suspense>
  )
}
