import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import PostalMime from 'postal-mime'
import { expect } from 'vitest'
import { activityRequest } from './client.ts'
import { passcodeIn } from './logins.ts'
import type { Answer, Parameters } from './organization.ts'
import type { ReachableServer } from './running_server.ts'
import type { ApiKeyPair } from './stamping.ts'

type Signer = Pick<ApiKeyPair, 'publicKey' | 'privateKeyHex'>

/** Asks the organization of a running server's credentials over HTTP. Its root user stamps when no signer is given. */
export function organizationOver({ url, credentials }: Pick<ReachableServer, 'url' | 'credentials'>) {
  const { organizationId, apiPublicKey, apiPrivateKey } = credentials
  const root: Signer = { publicKey: apiPublicKey, privateKeyHex: apiPrivateKey }
  let lastMs = 0

  async function post(path: string, body: unknown, signer = root): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const stamper = new ApiKeyStamper({ apiPublicKey: signer.publicKey, apiPrivateKey: signer.privateKeyHex })
    const { stampHeaderName, stampHeaderValue } = await stamper.stamp(text)
    const headers = { [stampHeaderName]: stampHeaderValue }
    const answer = await fetch(url + path, { method: 'POST', headers, body: text })
    return { status: answer.status, body: await answer.json() }
  }

  /** A time that no request had before, because the same bytes would be the same activity. */
  function freshTimestampMs(): number {
    lastMs = Math.max(lastMs + 1, Date.now())
    return lastMs
  }

  /** Returns the answer of a query that must succeed. */
  async function found(name: string, parameters: Parameters = {}): Promise<Answer['body']> {
    const answer = await post(`/public/v1/query/${name}`, { organizationId, ...parameters })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }

  /** Returns the one result of an activity that must succeed. */
  async function done(name: string, parameters: Parameters): Promise<Answer['body']> {
    const { path, body } = activityRequest(name, { organizationId, parameters, timestampMs: freshTimestampMs() })
    const answer = await post(path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return Object.values(answer.body.activity.result)[0]
  }

  return { organizationId, rootUserId: credentials.userId, post, freshTimestampMs, found, done }
}

export type HttpOrganization = ReturnType<typeof organizationOver>

/** The passcode in the mail to the contact. */
export async function passcodeInFolder(server: Pick<ReachableServer, 'folder'>, contact: string): Promise<string> {
  return passcodeIn(await mailInFolder(server, contact))
}

/** The text of the mail to the contact, as it lands in the data folder of a server without SMTP. */
export async function mailInFolder({ folder }: Pick<ReachableServer, 'folder'>, contact: string): Promise<string> {
  const outbox = join(folder, 'outbox')
  for (;;) {
    const names = readdirSync(folder).includes('outbox') ? readdirSync(outbox) : []
    for (const name of names.filter((one) => /^[^.].*\.eml$/.test(one))) {
      const { to = [], text = '' } = await PostalMime.parse(readFileSync(join(outbox, name)))
      if (to.some(({ address }) => address === contact)) return text
    }
    await setTimeout(20)
  }
}
