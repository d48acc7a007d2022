import { readFileSync } from 'node:fs'
import { errorAnswer, Failure } from '../../src/protocol/wire/failures.ts'
import { createFetchJson } from '../../src/vault/outside/fetch_json.ts'
import { createIssuerKeys } from '../../src/vault/outside/issuer_keys.ts'
import { createVerifyOidcToken } from '../../src/vault/outside/verify_oidc_token.ts'
import { runVault } from '../../src/vault/process/run_vault.ts'
import { emptyLog } from './empty_log.ts'

/**
 * A vault's process that only verifies tokens. `startVault` starts it with this file as the entry. `answer` takes an
 * OIDC token as the body; the path `/pid` answers the process's id.
 */
await runVault(({ oidcIssuers, oidcAudiences, caFile, loopbackHttp }, { log, openPipe }) => {
  const fetchJson = createFetchJson({
    openPipe,
    ...(caFile === undefined ? {} : { authorities: readFileSync(caFile, 'utf8') }),
    loopbackHttp,
  })
  const verifyOidcToken = createVerifyOidcToken({
    issuers: oidcIssuers,
    audiences: oidcAudiences,
    issuerKeys: createIssuerKeys({ fetchJson, log }),
  })
  return {
    async unseal() {
      return { kind: 'unsealed' }
    },
    async answer({ path, body }) {
      if (path === '/pid') return answerOf(200, process.pid)
      try {
        return answerOf(200, await verifyOidcToken({ token: Buffer.from(body).toString(), nowMs: Date.now() }))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        return answerOf(error.httpStatus, errorAnswer(error))
      }
    },
    async createOrganization() {
      throw new Error('not in a test of fetching')
    },
    async openMessage() {
      return { kind: 'expired' }
    },
    confirm: async () => ({ kind: 'unknown' }),
    publishLog: async () => emptyLog,
    scrub: async () => ({
      wanted: { of: 'nothing', report: { entries: 0, late: 0, unconfirmed: 0, restored: 0, incidents: 0 } },
      incidents: [],
    }),
    condition: async () => ({ refusal: undefined, clock: undefined }),
    async publishedKeys() {
      return {}
    },
  }
})

function answerOf(status: number, value: unknown) {
  return { kind: 'answer', status, body: Buffer.from(JSON.stringify(value)) } as const
}
