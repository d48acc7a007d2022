import { Anchor, Button, NativeSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { PasskeyIcon } from '../../components/icons.tsx'
import { LoginProblem, logInByPasskey } from '../../session/logins.ts'
import { forgetOrganizations, knownOrganizations } from '../../session/organizations.ts'
import { isUuid } from '../../stamping/encoding.ts'
import { useConsole } from '../../state/console.ts'
import { useTexts } from '../../texts/texts.tsx'
import { canHavePasskeys, Insecure } from './insecure.tsx'
import { LoginError } from './login_error.tsx'
import { OrganizationChoice, typedChoice } from './organization_choice.tsx'

/** A value of the choice that is no organization. */
const byPasskey = 'passkey'

const quarterSeconds = '900'
const hourSeconds = '3600'
const workdaySeconds = '28800'

export function PasskeyLogin() {
  const { login } = useTexts()
  const { client, sessions } = useConsole()
  const [known, setKnown] = useState(knownOrganizations)
  const [choice, setChoice] = useState(known[0]?.organizationId ?? byPasskey)
  const [typedId, setTypedId] = useState('')
  const [seconds, setSeconds] = useState(hourSeconds)
  const enter = useMutation({
    mutationFn: async () => {
      await sessions.begin(await logInByPasskey(client, { organizationId: chosenId(), seconds: Number(seconds) }))
    },
  })

  function chosenId(): string | undefined {
    if (choice === byPasskey) return undefined
    const id = choice === typedChoice ? typedId.trim().toLowerCase() : choice
    if (!isUuid(id)) throw new LoginProblem('noOrganization')
    return id
  }

  if (!canHavePasskeys()) return <Insecure />
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        enter.mutate()
      }}
    >
      <OrganizationChoice
        known={known}
        others={[{ value: byPasskey, label: login.findByPasskey }]}
        choice={choice}
        onChoice={setChoice}
        typedId={typedId}
        onTypedId={setTypedId}
        description={choice === byPasskey ? login.twoTouches : undefined}
      />
      <NativeSelect
        label={login.sessionLength}
        value={seconds}
        onChange={(event) => setSeconds(event.currentTarget.value)}
        data={[
          { value: quarterSeconds, label: login.lengths.quarter },
          { value: hourSeconds, label: login.lengths.hour },
          { value: workdaySeconds, label: login.lengths.workday },
        ]}
      />
      {enter.error !== null && <LoginError error={enter.error} />}
      <Button type="submit" size="md" fullWidth leftSection={<PasskeyIcon />} loading={enter.isPending}>
        {login.continueWithPasskey}
      </Button>
      {known.length > 0 && (
        <Anchor
          component="button"
          type="button"
          size="xs"
          onClick={() => {
            forgetOrganizations()
            setKnown([])
            setChoice(byPasskey)
          }}
        >
          {login.forget}
        </Anchor>
      )}
    </form>
  )
}
