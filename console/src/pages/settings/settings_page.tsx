import { useState } from 'react'
import { DialogButton } from '../../components/form_dialog.tsx'
import { Id } from '../../components/id.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { Facts, PageFrame } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AuthProxy } from './auth_proxy.tsx'
import { Features } from './features.tsx'

export function SettingsPage() {
  const { settings: texts, common } = useTexts()
  const asked = useAsk('get_organization', {})
  return (
    <PageFrame title={texts.title} about={texts.about}>
      <Answer of={asked}>
        {({ organizationData: { name, organizationId, features } }) => (
          <>
            <Facts
              facts={[
                [
                  common.name,
                  <span key="name" className="name-with-badge">
                    <UserText text={name} />
                    <DialogButton label={texts.rename} isQuiet>
                      {(close) => <Rename name={name} onClose={close} />}
                    </DialogButton>
                  </span>,
                ],
                [common.id, <Id key="id" id={organizationId} />],
              ]}
            />
            <Features features={features} />
            <AuthProxy organizationName={name} />
          </>
        )}
      </Answer>
    </PageFrame>
  )
}

function Rename({ name: former, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { settings: texts, common } = useTexts()
  const [name, setName] = useState(former)
  return (
    <SubmitDialog
      operation="update_organization_name"
      title={texts.rename}
      action={common.save}
      isDisabled={name.trim() === former}
      parameters={{ organizationName: name.trim() }}
      onClose={onClose}
    >
      <NameInput label={common.name} value={name} onChange={setName} />
    </SubmitDialog>
  )
}
