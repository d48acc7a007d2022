import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { readSettings } from '../../src/service/settings/settings.ts'
import { startServer } from '../../src/service/start.ts'
import { generateApiKey, stampWith } from './stamping.ts'

/** A server over HTTP in this process, with an organization. Its data is in a new folder if the flags name none. */
export async function serving(given: Readonly<Record<string, string>>) {
  const data = join(mkdtempSync(join(tmpdir(), 'claviger-serving-')), 'data')
  const flags = { data, port: '0', 'log-level': 'silent', ...given }
  const server = await startServer(readSettings({ flags, environment: {} }), { version: '1.2.3', development: true })
  onTestFinished(() => server.close())
  const apiKey = generateApiKey()
  const made = { organizationName: 'First', userName: 'root', apiKeyName: 'key', apiPublicKey: apiKey.publicKey }
  const { organizationId } = await server.createOrganization(made)
  let lastMs = Date.now()

  async function send(text: string, path: string) {
    const headers = { 'content-type': 'application/json', 'x-stamp': stampWith(apiKey, Buffer.from(text)) }
    const answer = await fetch(`${server.url}/public/v1/${path}`, { method: 'POST', headers, body: text })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() }
  }

  return {
    organizationId,
    /** Makes a tag; every change makes a head. */
    tag(userTagName: string) {
      lastMs += 1
      const type = 'ACTIVITY_TYPE_CREATE_USER_TAG'
      const parameters = { userTagName, userIds: [] }
      const text = JSON.stringify({ type, timestampMs: String(lastMs), organizationId, parameters })
      return () => send(text, 'submit/create_user_tag')
    },
    async tags(): Promise<readonly string[]> {
      const { body } = await send(JSON.stringify({ organizationId }), 'query/list_user_tags')
      return body.userTags.map(({ tagName }: { tagName: string }) => tagName)
    },
    query: () => send(JSON.stringify({ organizationId }), 'query/whoami'),
    async readiness() {
      const answer = await fetch(`${server.url}/readyz`)
      return [answer.status, await answer.json()]
    },
  }
}

type Sent = Awaited<ReturnType<Awaited<ReturnType<typeof serving>>['query']>>

/** The same bytes until they are answered. */
export async function patiently(send: () => Promise<Sent>): Promise<Sent> {
  for (;;) {
    const answer = await send()
    if (answer.status !== 503) return answer
    expect(answer.retryAfter).toBe('1')
    await setTimeout(20)
  }
}

export const ready = [200, { status: 'ready', reasons: [] }]
