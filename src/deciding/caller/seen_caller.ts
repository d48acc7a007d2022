import type { User } from '../../contract/records/records.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import type { Proof, RecordedStamp } from './credential_stamps.ts'

/** The user who stamped a request, as the rules see it. The stamp was verified before. */
export type SeenCaller = {
  readonly stamp: Pick<RecordedStamp, 'publicKey' | 'scheme'>
  /** The profile of the session that stamped the request. Its scope limits what the caller may do. */
  readonly sessionProfileId: Proof['sessionProfileId']
  /** The contact or identity that an attested stamp names. */
  readonly attested: Proof['attested']
  /** Whether the auth proxy asks, or a session or token of it. */
  readonly isOfAuthProxy?: true | undefined
  /** On the auth proxy, which has no stamp. `user` is nobody. */
  readonly isUnstamped?: true
  readonly user: User
  /** The caller's own organization: the target, its parent, or the one sub-organization that the target stands for. */
  readonly organization: SeenOrganization
}
