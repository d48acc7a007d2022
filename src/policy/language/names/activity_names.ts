import { missingActivities } from '../../../protocol/wire/missing_operations.ts'
import { activitiesWithoutDeed, activityDeeds } from './activity_deeds.ts'

/** Types that clients know and for which the interface has no operation. */
const withoutOperation = [
  'CREATE_ORGANIZATION',
  'DELETE_SECRETS',
  'ETH_UNDELEGATE7702',
  'UPDATE_ALLOWED_ORIGINS',
  'UPDATE_WALLET_ACCOUNT_NAME',
  'UPSERT_GAS_USAGE_CONFIG',
]

/**
 * Every activity by its type without `ACTIVITY_TYPE_` and without version, those of the wider interface included: a
 * policy may name what this server does not do yet.
 */
export const activityNames: readonly string[] = [
  ...activityDeeds.flatMap(([, , names]) => names),
  ...activitiesWithoutDeed,
  ...['APPROVE_ACTIVITY', 'REJECT_ACTIVITY'],
  ...missingActivities.map((name) => name.toUpperCase()),
  ...withoutOperation,
].toSorted()
