import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useValue } from '../api/value.ts'
import { styleNonce } from '../components/nonce.ts'
import { Loading } from '../components/states.tsx'
import { LoginPage } from '../pages/login/login_page.tsx'
import { type Console, ConsoleContext, createUserState, useConsole } from '../state/console.ts'
import { keyOf } from '../state/queries.ts'
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
  const { links, sessions } = useConsole()
  const [router] = useState(createConsoleRouter)
  const link = useValue(links.opened)
  const state = useValue(sessions.state)
  if (link !== undefined) {
    return (
      <Suspense fallback={<Loading />}>
        <LinkPage link={link} session={state.kind === 'in' ? state.session : undefined} />
      </Suspense>
    )
  }
  if (state.kind === 'out') return <LoginPage ended={state} />
  return (
    <OfUser key={keyOf(state.session).join(' ')}>
      <RouterProvider router={router} />
    </OfUser>
  )
}

/** Nothing of one user is shown to the next: each has pages, answers, notices and drafts of their own. */
function OfUser({ children }: { readonly children: ReactNode }) {
  const outer = useConsole()
  const [console] = useState(() => ({ ...outer, ...createUserState(outer.client, outer.sessions) }))
  useEffect(() => () => console.queryClient.clear(), [console])
  return (
    <ConsoleContext value={console}>
      <QueryClientProvider client={console.queryClient}>{children}</QueryClientProvider>
    </ConsoleContext>
  )
}
