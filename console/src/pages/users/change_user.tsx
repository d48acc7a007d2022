import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Activities } from '../../api/operations.ts'
import { DialogButton } from '../../components/form_dialog.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { User } from './organization.ts'

const nameCharactersMax = 256

/** The name of a user, and a button that changes it. */
export function UserName({ user: { userId, userName } }: { readonly user: User }) {
  const { users: texts, common } = useTexts()
  return (
    <Changeable
      operation="update_user_name"
      parametersOf={(text) => ({ userId, userName: text })}
      value={userName}
      label={common.name}
      what={texts.changeName}
      input={{ required: true, maxLength: nameCharactersMax }}
    />
  )
}

/** The e-mail address of a user, to which notices and links go, and a button that changes it. */
export function UserEmail({ user: { userId, userEmail } }: { readonly user: User }) {
  const { users: texts } = useTexts()
  return (
    <Changeable
      operation="update_user_email"
      parametersOf={(text) => ({ userId, userEmail: text })}
      value={userEmail}
      label={texts.email}
      what={texts.changeEmail}
      input={{ type: 'email', description: texts.emailHint }}
    />
  )
}

/** The phone number of a user, and a button that changes it. */
export function UserPhone({ user: { userId, userPhoneNumber } }: { readonly user: User }) {
  const { users: texts } = useTexts()
  return (
    <Changeable
      operation="update_user_phone_number"
      parametersOf={(text) => ({ userId, userPhoneNumber: text })}
      value={userPhoneNumber}
      label={texts.phone}
      what={texts.changePhone}
      input={{ type: 'tel', description: texts.phoneHint }}
    />
  )
}

type ChangeProps<N extends keyof Activities> = {
  readonly operation: N
  readonly parametersOf: (text: string) => Activities[N]['parameters']
  readonly value: string | undefined
  readonly label: string
  /** Such as “Change name”. */
  readonly what: string
  readonly input: {
    readonly type?: 'email' | 'tel'
    readonly description?: string
    readonly required?: boolean
    readonly maxLength?: number
  }
}

function Changeable<N extends keyof Activities>(props: ChangeProps<N>) {
  const { value, what } = props
  return (
    <span className="name-with-badge">
      {value === undefined ? '–' : <UserText text={value} />}
      <DialogButton label={what} isQuiet>
        {(close) => <Change {...props} onClose={close} />}
      </DialogButton>
    </span>
  )
}

function Change<N extends keyof Activities>({
  operation,
  parametersOf,
  value = '',
  label,
  what,
  input,
  onClose,
}: ChangeProps<N> & { readonly onClose: () => void }) {
  const { common } = useTexts()
  const [text, setText] = useState(value)
  return (
    <SubmitDialog
      operation={operation}
      title={what}
      action={common.save}
      isDisabled={text.trim() === value}
      parameters={parametersOf(text.trim())}
      onClose={onClose}
    >
      <TextInput
        label={label}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
        {...input}
      />
    </SubmitDialog>
  )
}
