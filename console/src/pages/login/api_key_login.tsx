import { Button, Divider, FileButton, PasswordInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { KeyIcon } from '../../components/icons.tsx'
import { type ApiCredentials, logInByApiKey, readCredentials } from '../../session/logins.ts'
import { knownOrganizations } from '../../session/organizations.ts'
import { useConsole } from '../../state/console.ts'
import { useTexts } from '../../texts/texts.tsx'
import { LoginError } from './login_error.tsx'

export function ApiKeyLogin() {
  const { login } = useTexts()
  const { client, sessions } = useConsole()
  const [organizationId, setOrganizationId] = useState(() => knownOrganizations()[0]?.organizationId ?? '')
  const [apiPrivateKey, setApiPrivateKey] = useState('')
  const enter = useMutation({
    mutationFn: async (given: () => Promise<ApiCredentials>) =>
      sessions.begin(await logInByApiKey(client, await given())),
    onSettled: () => setApiPrivateKey(''),
  })
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        const typed = { organizationId: organizationId.trim(), apiPrivateKey: apiPrivateKey.trim() }
        enter.mutate(async () => typed)
      }}
    >
      <FileButton
        accept="application/json,.json"
        onChange={(file) => {
          if (file !== null) enter.mutate(async () => readCredentials(await file.text()))
        }}
        inputProps={{ 'aria-label': login.credentialsFile, tabIndex: -1 }}
      >
        {({ onClick }) => (
          <Button variant="default" size="md" fullWidth leftSection={<KeyIcon />} onClick={onClick}>
            {login.credentialsFile}
          </Button>
        )}
      </FileButton>
      <p className="hint">{login.credentialsHint}</p>
      <Divider label={login.orPaste} />
      <TextInput
        label={login.organizationId}
        value={organizationId}
        onChange={(event) => setOrganizationId(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      <PasswordInput
        label={login.privateKey}
        description={login.privateKeyHint}
        value={apiPrivateKey}
        onChange={(event) => setApiPrivateKey(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      {enter.error !== null && <LoginError error={enter.error} />}
      <Button type="submit" size="md" fullWidth loading={enter.isPending}>
        {login.continueWithKey}
      </Button>
    </form>
  )
}
