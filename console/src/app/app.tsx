import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentProps, lazy, Suspense, useEffect, useState } from 'react'
import { useValue } from '../api/value.ts'
import { styleNonce } from '../components/nonce.ts'
import { Loading } from '../components/states.tsx'
import { LoginPage } from '../pages/login/login_page.tsx'
import { type Console, ConsoleContext, useConsole } from '../state/console.ts'
import { TextsProvider } from '../texts/texts.tsx'
import { createConsoleRouter } from './routes.tsx'
import { cssVariables, theme } from './theme.ts'

const LinkPage = lazy(async () => ({ default: (await import('../pages/link/link_page.tsx')).LinkPage }))

type AppProps = {
  readonly language: ComponentProps<typeof TextsProvider>['first']
  readonly console: Console
}

export function App({ language, console }: AppProps) {
  const [colorSchemeManager] = useState(() => localStorageColorSchemeManager({ key: 'claviger.colours' }))
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <TextsProvider first={language}>
        <ConsoleContext value={console}>
          <QueryClientProvider client={console.queryClient}>
            <Content />
          </QueryClientProvider>
        </ConsoleContext>
      </TextsProvider>
    </MantineProvider>
  )
}

/**
 * A user who is logged out sees the login at every path, and is where the path leads once logged in. A link that
 * registers a passkey comes first: its key stamps, and no session.
 */
function Content() {
  const { links, sessions, queryClient } = useConsole()
  const [router] = useState(createConsoleRouter)
  const link = useValue(links.opened)
  const state = useValue(sessions.state)
  const userId = state.kind === 'in' ? state.session.userId : undefined
  // Nothing of one user is shown to the next.
  useEffect(() => {
    if (userId === undefined) queryClient.clear()
  }, [queryClient, userId])
  if (link !== undefined) {
    return (
      <Suspense fallback={<Loading />}>
        <LinkPage link={link} session={state.kind === 'in' ? state.session : undefined} />
      </Suspense>
    )
  }
  return state.kind === 'in' ? <RouterProvider router={router} /> : <LoginPage ended={state} />
}
