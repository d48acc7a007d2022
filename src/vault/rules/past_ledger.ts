import type { CompiledPolicy } from '../../deciding/rules/compiled_policies.ts'
import type { SeenRequest } from '../../deciding/rules/rules.ts'
import { type Acting, controlsAbout, controlsFor } from '../../deciding/rules/sum_controls.ts'
import { amountsIn, countedPaths, signerIdOf } from '../../deciding/rules/sum_spending.ts'
import { durationMsMax } from '../../policy/language/time/durations.ts'
import { type Amount, sumOf, withAmount } from '../../policy/spending.ts'
import { windowMsOf } from '../../policy/velocity/velocity_control.ts'
import type { Organization } from '../state/organization.ts'

/** A past activity and the time of its decision. */
type Past = { readonly acting: Acting; readonly nowMs: number }

/** The amounts of the activities that a simulation of the past has read so far. */
export function createPastLedger(organization: Organization, policies: readonly CompiledPolicy[]) {
  const ledger = new Map<string, readonly Amount[]>()
  const paths = countedPaths(policies)
  const nameOf = (signerId: string, path: string) => `${signerId} ${path}`

  return {
    /** The sums that the rules see, of what is counted by now. */
    countsFor({ acting, nowMs }: Past): Pick<SeenRequest, 'spent' | 'controls'> {
      const signerId = signerIdOf(acting)
      const counted = new Map(ledger)
      const amountsOf = (name: string) => counted.get(name) ?? []
      return {
        spent: (path, durationMs) =>
          signerId === undefined ? undefined : sumOf(amountsOf(nameOf(signerId, path)), { nowMs, durationMs }),
        controls: (asked) =>
          controlsFor(
            organization,
            { ...acting, ...asked },
            { nowMs, countedIn: (_control, bucketId) => ({ stored: amountsOf(bucketId), booked: [] }) },
          ),
      }
    },

    /** Counts an activity that was executed. */
    count({ acting, nowMs: atMs }: Past): void {
      const signerId = signerIdOf(acting)
      for (const { path, amount } of signerId === undefined ? [] : amountsIn(acting.facts, paths)) {
        const name = nameOf(signerId ?? '', path)
        ledger.set(name, withAmount(ledger.get(name) ?? [], { atMs, amount }, durationMsMax))
      }
      for (const { control, bucketId, added: amount = 0n } of controlsAbout(organization, acting)) {
        ledger.set(bucketId, withAmount(ledger.get(bucketId) ?? [], { atMs, amount }, windowMsOf(control)))
      }
    },
  }
}
