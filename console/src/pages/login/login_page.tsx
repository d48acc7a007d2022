import { Alert, Tabs } from '@mantine/core'
import { useState } from 'react'
import { CardFrame } from '../../components/card_frame.tsx'
import { KeyIcon, PasskeyIcon } from '../../components/icons.tsx'
import type { SessionState } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ApiKeyLogin } from './api_key_login.tsx'
import { PasskeyLogin } from './passkey_login.tsx'

type Way = 'passkey' | 'apiKey'

export function LoginPage({ ended }: { readonly ended: Extract<SessionState, { readonly kind: 'out' }> }) {
  const { login } = useTexts()
  const [way, setWay] = useState<Way>('passkey')
  return (
    <CardFrame title={login.title}>
      <p className="login-intro">{login.intro}</p>
      {ended.reason !== undefined && (
        <Alert color={ended.reason === 'refused' ? 'red' : 'gray'} className="login-ended" role="status">
          {login.ended[ended.reason]} {ended.message}
        </Alert>
      )}
      <Tabs value={way} onChange={(value) => setWay(value === 'apiKey' ? 'apiKey' : 'passkey')} keepMounted={false}>
        <Tabs.List grow>
          <Tabs.Tab value="passkey" leftSection={<PasskeyIcon size={16} />}>
            {login.byPasskey}
          </Tabs.Tab>
          <Tabs.Tab value="apiKey" leftSection={<KeyIcon size={16} />}>
            {login.byApiKey}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="passkey">
          <PasskeyLogin />
        </Tabs.Panel>
        <Tabs.Panel value="apiKey">
          <ApiKeyLogin />
        </Tabs.Panel>
      </Tabs>
    </CardFrame>
  )
}
