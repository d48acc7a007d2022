import { expect, test } from 'vitest'
import type { BoundQuery } from '../../contract/define.ts'
import { verifyOidcTokens } from './oidc_identities.ts'

const boundTo = (count: number) =>
  ({
    oidcTokens: () => Array.from({ length: count }, (_, at) => ({ token: `token ${at}`, fieldPath: `tokens[${at}]` })),
  }) as unknown as BoundQuery

/** Says what began between two pauses. */
function startVerifying(refusedAt = -1) {
  const begun: number[] = [0]
  const context = {
    nowMs: 0,
    pause() {
      begun.push(0)
      return Promise.resolve()
    },
    services: {
      verifyOidcToken: async ({ token }: { readonly token: string }) => {
        begun.push((begun.pop() ?? 0) + 1)
        if (token === `token ${refusedAt}`) throw new Error('its signature does not verify')
        return { issuer: 'https://issuer.example', audience: 'app', subject: token }
      },
    },
  } as unknown as Parameters<typeof verifyOidcTokens>[0]
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
  const { begun, context } = startVerifying(3)
  await expect(verifyOidcTokens(context, boundTo(70), 0)).rejects.toThrow('its signature does not verify')
  expect(begun).toEqual([32])
})
