import { Alert } from '@mantine/core'
import { ErrorBox } from '../../components/states.tsx'
import { LoginProblem } from '../../session/logins.ts'
import { useTexts } from '../../texts/texts.tsx'

/** A reason of our own has a sentence in each language; the server's reason is shown as it is. */
export function LoginError({ error }: { readonly error: unknown }) {
  const { problems } = useTexts().login
  if (error instanceof LoginProblem) {
    return (
      <Alert color="red" role="alert">
        {problems[error.reason]}
      </Alert>
    )
  }
  return <ErrorBox error={error} />
}
