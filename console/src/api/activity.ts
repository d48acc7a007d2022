/** An activity as the server shows it. `createdAt` and `updatedAt` are RFC 3339 texts. */
export type Activity = {
  readonly id: string
  readonly organizationId: string
  readonly status: ActivityStatus
  readonly type: string
  readonly intent: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
  readonly votes: readonly Vote[]
  readonly fingerprint: string
  readonly canApprove: boolean
  readonly canReject: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly failure?: { readonly message: string }
}

export const activityStatuses = [
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED',
  'ACTIVITY_STATUS_COMPLETED',
  'ACTIVITY_STATUS_FAILED',
  'ACTIVITY_STATUS_REJECTED',
] as const

export type ActivityStatus = (typeof activityStatuses)[number]

export const waitingStatuses = [
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED',
] as const satisfies readonly ActivityStatus[]

export function isWaiting({ status }: Pick<Activity, 'status'>): boolean {
  return waitingStatuses.some((one) => one === status)
}

/** The first vote is the submission. */
export type Vote = {
  readonly id: string
  readonly userId: string
  readonly user: { readonly userName: string }
  readonly selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED'
  /** The body as it was stamped. */
  readonly message: string
  readonly publicKey: string
  readonly signature: string
  readonly scheme: string
  readonly createdAt: { readonly seconds: string; readonly nanos: string }
}
