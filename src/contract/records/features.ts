import Type from 'typebox'
import { Failure } from '../../protocol/wire/failures.ts'
import { featureNames, isSwitch, type Switch, switches } from '../../protocol/wire/feature_names.ts'
import { webhookFeatureName } from '../../protocol/wire/webhooks.ts'
import { oneOf, optional } from '../fields/fields.ts'
import { named, view } from '../fields/named.ts'
import { shown } from '../fields/shown.ts'
import { webhookAddress } from '../fields/webhook_address.ts'
import type { OrganizationWriter } from '../readers.ts'
import type { Feature, User, WithoutTimes } from './records.ts'

export const FeatureNameField = oneOf(featureNames, named('FeatureName'))

/** Members for the schema of a feature's value: it may be the address of a webhook. */
export const featureValue = webhookAddress(({ name }) => name === webhookFeatureName)
export const FeatureView = view('Feature', { name: FeatureNameField, value: optional(Type.String(featureValue)) })

/** The features that the organization has set or switched off, with or without their times. */
type Stored = readonly WithoutTimes<Feature>[]

/** The features that are on: first the switches, in the order of their table, then the others as they were set. */
export function featureViews(stored: Stored): Type.Static<typeof FeatureView>[] {
  const on = switches
    .filter((name) => !isOff(stored, name))
    .map((name) => stored.find((feature) => feature.name === name) ?? { name })
  const others = stored.filter((feature) => !isSwitch(feature.name) && feature.isOff !== true)
  return [...on, ...others].map((feature) => shown(FeatureView, feature))
}

export function isOff(stored: Stored, name: Switch): boolean {
  return stored.some((feature) => feature.name === name && feature.isOff === true)
}

/** Refuses a way in that the organization has switched off. */
export function requireOn(stored: Stored, name: Switch): void {
  if (isOff(stored, name)) throw new Failure('FORBIDDEN', `${name} is switched off in this organization`)
}

/** Refuses what a way in gave out at this time if the organization has switched it off, also if it is on again. */
export function requireOnSince(stored: Stored, name: Switch, givenAtMs: number): void {
  requireOn(stored, name)
  const onSinceMs = stored.find((feature) => feature.name === name)?.onSinceMs
  if (onSinceMs === undefined || onSinceMs <= givenAtMs) return
  throw new Failure('FORBIDDEN', `${name} was switched off after this was given out; ask for a new one`)
}

/**
 * Refuses the recovery of a user by mail where it is switched off, for all users or for the root quorum, and one that was
 * mailed before that.
 */
export function requireRecovery(
  { userId }: Pick<User, 'userId'>,
  { rootQuorum, features }: Pick<OrganizationWriter, 'rootQuorum' | 'features'>,
  mailedAtMs: number,
): void {
  const stored = features.all()
  requireOnSince(stored, 'FEATURE_NAME_EMAIL_RECOVERY', mailedAtMs)
  if (!rootQuorum.userIds.includes(userId)) return
  requireOnSince(stored, 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY', mailedAtMs)
}
