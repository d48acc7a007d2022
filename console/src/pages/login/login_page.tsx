import { Alert, Tabs } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { CardFrame } from '../../components/card_frame.tsx'
import { KeyIcon, PasskeyIcon } from '../../components/icons.tsx'
import { Loading } from '../../components/states.tsx'
import type { SessionState } from '../../session/sessions.ts'
import { useConsole } from '../../state/console.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ApiKeyLogin } from './api_key_login.tsx'
import { LoginError } from './login_error.tsx'
import { PasskeyLogin } from './passkey_login.tsx'

const ways = ['passkey', 'apiKey', 'code'] as const
type Way = (typeof ways)[number]

/** After these, the end of the session is not what its user may think. */
const alarming: ReadonlySet<string> = new Set(['refused', 'loggedOutHere'])

const CodeLogin = lazy(async () => ({ default: (await import('./code_login.tsx')).CodeLogin }))

export function LoginPage({ ended }: { readonly ended: Extract<SessionState, { readonly kind: 'out' }> }) {
  const { login } = useTexts()
  const { organizationId, error } = useConsole().loginLink
  const [way, setWay] = useState<Way>(organizationId === undefined ? 'passkey' : 'code')
  return (
    <CardFrame title={login.title}>
      <p className="login-intro">{login.intro}</p>
      {ended.reason !== undefined && (
        <Alert color={alarming.has(ended.reason) ? 'red' : 'gray'} className="login-ended" role="status">
          {login.ended[ended.reason]} {ended.message}
        </Alert>
      )}
      {error !== undefined && <LoginError error={error} />}
      <Tabs
        value={way}
        onChange={(value) => setWay(ways.find((one) => one === value) ?? 'passkey')}
        keepMounted={false}
      >
        <Tabs.List grow>
          <Tabs.Tab value="passkey" leftSection={<PasskeyIcon size={16} />}>
            {login.byPasskey}
          </Tabs.Tab>
          <Tabs.Tab value="apiKey" leftSection={<KeyIcon size={16} />}>
            {login.byApiKey}
          </Tabs.Tab>
          <Tabs.Tab value="code">{login.byCode}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="passkey">
          <PasskeyLogin />
        </Tabs.Panel>
        <Tabs.Panel value="apiKey">
          <ApiKeyLogin />
        </Tabs.Panel>
        <Tabs.Panel value="code">
          <Suspense fallback={<Loading />}>
            <CodeLogin />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </CardFrame>
  )
}
