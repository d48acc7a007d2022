import Type from 'typebox'
import { optional } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import type { SessionProfile } from '../../../contract/records/records.ts'
import { times, timesView } from '../../../contract/records/views.ts'

export const SessionProfileView = view('SessionProfile', {
  ...texts('sessionProfileId', 'sessionProfileName', 'scope'),
  expirationSeconds: optional(Type.String()),
  notes: optional(Type.String()),
  ...times,
})

export function sessionProfileView(profile: SessionProfile): Type.Static<typeof SessionProfileView> {
  const expirationSeconds = profile.expirationSeconds?.toString()
  return shown(SessionProfileView, { ...profile, expirationSeconds, ...timesView(profile) })
}
