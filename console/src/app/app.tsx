import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentProps, lazy, Suspense, useEffect } from 'react'
import { queryClient } from '../api/queries.ts'
import { Loading } from '../components/states.tsx'
import { LoginPage } from '../pages/login/login_page.tsx'
import { useLink } from '../session/link.ts'
import { useSessionState } from '../session/session.tsx'
import { TextsProvider } from '../texts/texts.tsx'
import { styleNonce } from './nonce.ts'
import { router } from './routes.tsx'
import { cssVariables, theme } from './theme.ts'

const colorSchemeManager = localStorageColorSchemeManager({ key: 'claviger.colours' })
const getStyleNonce = styleNonce

const LinkPage = lazy(async () => ({ default: (await import('../pages/link/link_page.tsx')).LinkPage }))

type Language = ComponentProps<typeof TextsProvider>['first']

export function App({ language }: { readonly language: Language }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={getStyleNonce}
    >
      <TextsProvider first={language}>
        <QueryClientProvider client={queryClient}>
          <Content />
        </QueryClientProvider>
      </TextsProvider>
    </MantineProvider>
  )
}

/**
 * A user who is logged out sees the login at every path, and is where the path leads once logged in. A link that
 * registers a passkey comes first: its key stamps, and no session.
 */
function Content() {
  const link = useLink()
  const state = useSessionState()
  const userId = state.kind === 'in' ? state.session.userId : undefined
  // Nothing of one user is shown to the next.
  useEffect(() => {
    if (userId === undefined) queryClient.clear()
  }, [userId])
  if (link !== undefined) {
    return (
      <Suspense fallback={<Loading />}>
        <LinkPage link={link} session={state.kind === 'in' ? state.session : undefined} />
      </Suspense>
    )
  }
  return state.kind === 'in' ? <RouterProvider router={router} /> : <LoginPage ended={state} />
}
