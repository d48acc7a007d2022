import { Button } from '@mantine/core'
import type { Activity } from '../../api/activity.ts'
import { useSubmit } from '../../api/queries.ts'
import { CheckIcon, CrossIcon } from '../../components/icons.tsx'
import { ErrorBox } from '../../components/states.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Approves or rejects an activity; the passkey is asked for, if the user has one. */
export function VoteButtons({ activity: { fingerprint, canApprove, canReject } }: { readonly activity: Activity }) {
  const { inbox } = useTexts()
  const approve = useSubmit('approve_activity')
  const reject = useSubmit('reject_activity')
  const isPending = approve.isPending || reject.isPending
  const error = approve.error ?? reject.error
  return (
    <div className="vote-buttons">
      {error !== null && <ErrorBox error={error} />}
      {canReject && (
        <Button
          variant="default"
          size="md"
          leftSection={<CrossIcon />}
          onClick={() => reject.mutate({ fingerprint })}
          loading={reject.isPending}
          disabled={isPending}
        >
          {inbox.reject}
        </Button>
      )}
      {canApprove && (
        <Button
          size="md"
          leftSection={<CheckIcon />}
          onClick={() => approve.mutate({ fingerprint })}
          loading={approve.isPending}
          disabled={isPending}
        >
          {inbox.approve}
        </Button>
      )}
    </div>
  )
}
