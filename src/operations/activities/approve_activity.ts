import { defineVote } from './shared/define_vote.ts'

export default defineVote({
  name: 'approve_activity',
  summary: 'Approves an activity that waits for votes, and returns that activity.',
  type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY',
  selection: 'VOTE_SELECTION_APPROVED',
})
