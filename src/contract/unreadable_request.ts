import { oneStep } from '../protocol/tools/steps.ts'
import type { Failure } from '../protocol/wire/failures.ts'
import type { BoundActivity } from './operation.ts'

/**
 * A stored request that an older version took, and that the rules for parameters refuse today. Its voters can still end
 * it, and everybody sees its parameters as they were sent. It cannot run any more: `failure` says why.
 */
export function unreadableRequest(
  given: Pick<BoundActivity, 'operation' | 'type' | 'parameters'>,
  failure: Failure,
): BoundActivity {
  const refuse = () => {
    throw failure
  }
  return {
    ...given,
    check: async () => refuse(),
    needs: () => [],
    oidcTokens: () => [],
    ownerOf: () => undefined,
    removedKeyIds: () => [],
    facts: refuse,
    spendsFrom: undefined,
    signaturesCount: 1,
    explain: () => oneStep(() => undefined),
    run: async () => refuse(),
  }
}
