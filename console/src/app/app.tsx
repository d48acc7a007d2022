import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ComponentProps, useEffect } from 'react'
import { queryClient } from '../api/queries.ts'
import { LoginPage } from '../pages/login/login_page.tsx'
import { useSessionState } from '../session/session.tsx'
import { TextsProvider } from '../texts/texts.tsx'
import { styleNonce } from './nonce.ts'
import { router } from './routes.tsx'
import { cssVariables, theme } from './theme.ts'

const colorSchemeManager = localStorageColorSchemeManager({ key: 'claviger.colours' })
const getStyleNonce = styleNonce

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

/** Whoever is logged out sees the login at every path, and is where the path leads once logged in. */
function Content() {
  const state = useSessionState()
  const userId = state.kind === 'in' ? state.session.userId : undefined
  // Nothing of one user is shown to the next.
  useEffect(() => {
    if (userId === undefined) queryClient.clear()
  }, [userId])
  return state.kind === 'in' ? <RouterProvider router={router} /> : <LoginPage ended={state} />
}
