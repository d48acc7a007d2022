import { Button } from '@mantine/core'
import type { Activity } from '../../api/activity.ts'
import { CheckIcon, CrossIcon } from '../../components/icons.tsx'
import { ErrorBox } from '../../components/states.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useVote } from './vote.ts'

/**
 * Approves or rejects an activity; the passkey is asked for, if the user has one. `isReadable`: the meaning of the
 * request is on the page. Nobody approves what was not shown.
 */
export function VoteButtons({ activity, isReadable, onDecided }: VoteButtonsProps) {
  const { inbox } = useTexts()
  const { canApprove, canReject } = activity
  const { error, isPending, mutate, variables } = useVote(activity, { onDecided })
  return (
    <div className="vote-buttons">
      {error !== null && <ErrorBox error={error} />}
      {canReject && (
        <Button
          variant="default"
          size="md"
          leftSection={<CrossIcon />}
          onClick={() => mutate('reject')}
          loading={isPending && variables === 'reject'}
          disabled={isPending}
        >
          {inbox.reject}
        </Button>
      )}
      {canApprove && (
        <Button
          size="md"
          leftSection={<CheckIcon />}
          onClick={() => mutate('approve')}
          loading={isPending && variables === 'approve'}
          disabled={isPending || !isReadable}
        >
          {inbox.approve}
        </Button>
      )}
    </div>
  )
}

type VoteButtonsProps = {
  readonly activity: Activity
  readonly isReadable: boolean
  readonly onDecided?: () => void
}
