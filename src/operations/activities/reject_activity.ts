import { defineVote } from './shared/define_vote.ts'

export default defineVote({
  name: 'reject_activity',
  summary: 'Rejects an activity that waits for votes, which ends it, and returns that activity.',
  type: 'ACTIVITY_TYPE_REJECT_ACTIVITY',
  selection: 'VOTE_SELECTION_REJECTED',
})
