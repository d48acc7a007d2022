import { vi } from 'vitest'

/**
 * The answer of `check` as soon as it throws nothing, and what it threw last if that takes 20 seconds: Vitest itself
 * gives up after one, which is short on a machine that is busy.
 */
export function soon<Answer>(check: () => Answer | Promise<Answer>): Promise<Answer> {
  return vi.waitFor(check, { timeout: 20_000, interval: 50 })
}
