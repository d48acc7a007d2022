import { NativeSelect } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { choiceLabel } from '../../components/choice_label.ts'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { useAsk, useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import '../policies/policies.css'
import type { Profile, User } from './methods.ts'
import { MfaPolicyForm } from './mfa_policy_form.tsx'

const listPath = '/mfa-policies'

export function NewMfaPolicyPage() {
  const { mfaPolicies: texts } = useTexts()
  const session = useSession()
  const [userId, setUserId] = useState(session.userId)
  const navigate = useNavigate()
  const create = useSubmit('create_mfa_policy', { onDone: () => void navigate({ to: listPath, ignoreBlocker: true }) })
  return (
    <PageFrame title={texts.create} back={{ to: listPath, label: texts.back }}>
      <WithUsers>
        {(users, profiles) => {
          const user = users.find((one) => one.userId === userId) ?? users[0]
          if (user === undefined) return null
          return (
            <div className="policy-form">
              <NativeSelect
                label={texts.user}
                value={user.userId}
                data={users.map(({ userId: id, userName: name }) => ({ value: id, label: choiceLabel({ id, name }) }))}
                onChange={(event) => setUserId(event.currentTarget.value)}
              />
              <MfaPolicyForm
                key={user.userId}
                owned={{ user, profiles }}
                isPending={create.isPending}
                error={create.error}
                onSave={(written) => create.mutate({ userId: user.userId, ...written })}
              />
            </div>
          )
        }}
      </WithUsers>
    </PageFrame>
  )
}

export function EditMfaPolicyPage() {
  const { userId, mfaPolicyId } = useParams({ from: '/mfa-policies/$userId/$mfaPolicyId' })
  const { mfaPolicies: texts, common } = useTexts()
  const navigate = useNavigate()
  const update = useSubmit('update_mfa_policy', { onDone: () => void navigate({ to: listPath, ignoreBlocker: true }) })
  return (
    <PageFrame title={texts.editTitle} back={{ to: listPath, label: texts.back }}>
      <WithUsers>
        {(users, profiles) => {
          const user = users.find((one) => one.userId === userId)
          const policy = user?.mfaPolicies.find((one) => one.mfaPolicyId === mfaPolicyId)
          if (user === undefined || policy === undefined) return <Empty title={common.errors.notFound} />
          return (
            <MfaPolicyForm
              owned={{ user, profiles }}
              policy={policy}
              isPending={update.isPending}
              error={update.error}
              onSave={(written) => update.mutate({ userId, mfaPolicyId, ...written })}
            />
          )
        }}
      </WithUsers>
    </PageFrame>
  )
}

type WithUsersProps = { readonly children: (users: readonly User[], profiles: readonly Profile[]) => React.ReactNode }

function WithUsers({ children }: WithUsersProps) {
  const organization = useAsk('get_organization', {})
  const profiles = useAsk('get_session_profiles', {})
  return (
    <Answer of={organization}>
      {({ organizationData }) => (
        <Answer of={profiles}>{({ sessionProfiles }) => children(organizationData.users, sessionProfiles)}</Answer>
      )}
    </Answer>
  )
}
