import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { CheckList } from '../../components/check_list.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { useTypedName } from '../../components/typed_name.tsx'
import { Warnings } from '../../components/warnings.tsx'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Organization } from '../users/organization.ts'
import { quorumFaults } from './quorum_faults.ts'

type ChangeProps = { readonly organization: Organization; readonly onClose: () => void }

/** Sets the members of the root quorum and how many must approve. It says first whom the change would lock out. */
export function ChangeQuorum({ organization, onClose }: ChangeProps) {
  const { quorum: texts, common } = useTexts()
  const { userId: myId } = useSession()
  const { users, rootQuorum, name, organizationId } = organization
  const [userIds, setUserIds] = useState(rootQuorum.userIds)
  const [wanted, setWanted] = useState(rootQuorum.threshold)
  const threshold = Math.max(1, Math.min(wanted, userIds.length))
  const faults = quorumFaults({ users, former: rootQuorum.userIds, myId, next: { userIds, threshold } })
  const typed = useTypedName({ name, id: organizationId })
  const isLockout = faults.some(({ kind }) => kind !== 'noneMayBeLost')
  return (
    <SubmitDialog
      operation="update_root_quorum"
      title={texts.change}
      action={common.save}
      isDisabled={userIds.length === 0 || (isLockout && !typed.isRight)}
      isDangerous={isLockout}
      parameters={{ threshold, userIds }}
      onClose={onClose}
    >
      <CheckList
        label={texts.members}
        choices={users.map(({ userId, userName }) => ({ id: userId, name: userName }))}
        chosen={userIds}
        onChange={setUserIds}
      />
      <NativeSelect
        label={texts.threshold}
        value={String(threshold)}
        onChange={(event) => setWanted(Number(event.currentTarget.value))}
        data={userIds.map((_, index) => ({
          value: String(index + 1),
          label: texts.thresholdOf(index + 1, userIds.length),
        }))}
      />
      <Warnings texts={faults.map((fault) => texts.faults[fault.kind](fault.userNames.join(', ')))} />
      {isLockout && typed.field}
    </SubmitDialog>
  )
}
