import { decryptCredentialBundle } from '@turnkey/crypto'
import type { Mail } from '../../src/protocol/wire/outgoing_messages.ts'
import { newTarget } from './bundles.ts'
import type { Server } from './in_process.ts'
import type { Ask, Parameters, TestOrganization } from './organization.ts'
import { type ApiKeyPair, apiKeyOf } from './stamping.ts'
import { dueMessagesOfAll } from './store/messages.ts'

/** Takes the mails that wait in the outbox, as a delivery does, the oldest first. */
export async function takeMails({ store, vault }: Pick<Server, 'store' | 'vault'>): Promise<readonly Mail[]> {
  const mails: Mail[] = []
  for (const due of await dueMessagesOfAll(store, { channel: 'mail', nowMs: Date.now() })) {
    const opened = await vault.openMessage({ ...due, presented: [] })
    if (opened.kind === 'message' && opened.message.channel === 'mail') mails.push(opened.message)
    await store.changeQueue({ queue: 'messages', change: 'remove', ...due })
  }
  return mails
}

/** The credential in a mail, opened by the client's own package. */
export function openCredential({ text }: Pick<Mail, 'text'>, embeddedKey: string): ApiKeyPair {
  // Base58 of a compressed point and 48 bytes of ciphertext.
  const [bundle = ''] = /[1-9A-HJ-NP-Za-km-z]{100,}/.exec(text) ?? []
  return apiKeyOf(decryptCredentialBundle(bundle, embeddedKey))
}

type Asked = Parameters & { readonly email: string }
type Place = Pick<TestOrganization, 'server' | 'done'>

/** Starts a recovery by the root user, takes the mail and returns its credential. */
export async function recover(
  { server, done }: Place,
  { email, ...given }: Asked,
  ask: Ask = {},
): Promise<{ readonly userId: string; readonly recoveryKey: ApiKeyPair; readonly mail: Mail }> {
  await takeMails(server)
  const { targetPublicKey, embeddedKey } = newTarget()
  const parameters = { email, targetPublicKey, emailCustomization: { appName: 'Acme' }, ...given }
  const { userId } = await done('init_user_email_recovery', parameters, ask)
  const [mail] = await takeMails(server)
  if (mail === undefined) throw new Error('a recovery sends a mail')
  return { userId, recoveryKey: openCredential(mail, embeddedKey), mail }
}
