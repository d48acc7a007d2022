import type { Activity } from '../../contract/records/activity.ts'
import type { FoundActivity } from '../../protocol/reads.ts'
import type { Seals } from '../keys/seal.ts'
import { IntegrityError, whenSealed } from './evidence.ts'

export function sealActivity(seals: Seals, activity: Activity, version: number): Uint8Array {
  const { organizationId, activityId } = activity
  return seals.seal(slotOf({ organizationId, activityId, version }), Buffer.from(JSON.stringify(activity)))
}

/** The activities of presented rows, which one decision may open more than once. */
const opened = new WeakMap<FoundActivity, Activity>()

export function openActivity(seals: Seals, organizationId: string, found: FoundActivity): Activity {
  const known = opened.get(found)
  if (known?.organizationId === organizationId) return known
  const name = `organization ${organizationId}: activity ${found.activityId}`
  const plaintext = whenSealed(name, () => seals.unseal(slotOf({ organizationId, ...found }), found.sealed))
  // The seal has proved that the vault wrote these bytes.
  const activity: Activity = JSON.parse(Buffer.from(plaintext).toString('utf8'))
  if (activity.activityId !== found.activityId) throw new IntegrityError(`${name} names another id`)
  opened.set(found, activity)
  return activity
}

type SlotName = {
  organizationId: string
  activityId: string
  version: number
}

function slotOf({ organizationId, activityId, version }: SlotName) {
  return { organizationId, kind: 'activity', id: activityId, version }
}
