import { expect, test } from 'vitest'
import { verifyOidcTokens } from './verify_oidc_tokens.ts'

const boundTo = (count: number) => ({
  oidcTokens: () => Array.from({ length: count }, (_, at) => ({ token: `token ${at}`, fieldPath: `tokens[${at}]` })),
})
const claims = {
  ...{ issuer: 'https://issuer.example', audience: 'app', email: undefined, emailVerified: false },
  ...{ nonce: undefined, tknonce: undefined, tooOldAtMs: 0 },
}

/** Counts the verifications that begin between two pauses. */
function startVerifying(refused?: string) {
  const begun = [0]
  const context: Parameters<typeof verifyOidcTokens>[0] = {
    nowMs: 0,
    pause() {
      begun.push(0)
      return Promise.resolve()
    },
    services: {
      verifyOidcToken: async ({ token }) => {
        begun.push((begun.pop() ?? 0) + 1)
        if (token === refused) throw new Error('its signature does not verify')
        return { ...claims, subject: token }
      },
    },
  }
  return { begun, context }
}

test('many tokens of a request are verified a few at a time, with a pause for others between', async () => {
  const { begun, context } = startVerifying()
  const identityOf = await verifyOidcTokens(context, boundTo(70), 0)
  expect(begun).toEqual([32, 32, 6])
  expect(identityOf('token 69').subject).toBe('token 69')
  expect(() => identityOf('token 70')).toThrow('did not name this token')
})

test('nothing begins after a token that is refused', async () => {
  const { begun, context } = startVerifying('token 3')
  await expect(verifyOidcTokens(context, boundTo(70), 0)).rejects.toThrow('its signature does not verify')
  expect(begun).toEqual([32])
})
