import type { SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished } from 'vitest'
import { mailboxOfLine, noticeLine } from '../../src/protocol/wire/notices.ts'
import type { Carriers } from '../../src/service/delivery/carrier.ts'
import { parseSmtpUrl } from '../../src/service/delivery/carriers/addresses.ts'
import { dressed } from '../../src/service/delivery/carriers/mail_html.ts'
import { createSmtp } from '../../src/service/delivery/carriers/smtp.ts'
import { startNoticeDelivery } from '../../src/service/delivery/notice_delivery.ts'
import type { VaultClient } from '../../src/service/vault/client.ts'
import { withDatabase } from './database.ts'
import {
  newApiKey,
  newPrivateKey,
  newUser,
  organizationOf,
  type Parameters,
  startOrganization,
  type TestOrganization,
} from './organization.ts'
import { startMailServer } from './smtp_server.ts'

/** An organization of three root users, two of whom decide. The third has no address. */
export async function prepare({ sendsNotices = true, carolsEmail = '', limits = {} } = {}) {
  const organization = await startOrganization({ sendsNotices, limits })
  const { done, anotherUser, rootUserId } = organization
  const [bob, carol] = [await anotherUser('Bob'), await anotherUser('Carol')]
  await done('update_user_email', { userId: rootUserId, userEmail: 'root@example.org' })
  await done('update_user_email', { userId: bob.userId, userEmail: 'bob@example.org' })
  if (carolsEmail !== '') await done('update_user_email', { userId: carol.userId, userEmail: carolsEmail })
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, bob.userId, carol.userId] })
  return { organization, bob, carol }
}

type Vault = Pick<VaultClient, 'openMessage'>

/** A service that delivers notices by the test's clock. */
export async function deliver(
  { server, clock }: TestOrganization,
  { vault = server.vault, ...options }: SMTPServerOptions & { readonly vault?: Vault } = {},
) {
  const mailServer = await startMailServer(options)
  onTestFinished(() => mailServer.close().catch(() => {}))
  const lines: string[] = []
  const add = (_: object, message: string) => void lines.push(message)
  const smtp = parseSmtpUrl(`smtp://127.0.0.1:${mailServer.port}`) ?? expect.fail('no address of a server')
  const handOver = createSmtp(smtp, { address: 'keys@example.org', name: 'Keys' })
  const look = { name: 'Keys', color: '#335a85', logo: undefined, support: undefined }
  const carry: Carriers['mail'] = (mail, about) => handOver(dressed(mail, look), about)
  const parts = { store: server.store, vault, carry, nowMs: () => clock.nowMs, lookMs: 5 }
  const start = () => {
    const delivery = startNoticeDelivery({ ...parts, log: { info: add, warn: add, error: add } })
    onTestFinished(() => delivery.close())
    return delivery
  }
  start()
  return { ...mailServer, lines, startAnother: start }
}

/** Asks as the root user, or with another key. */
export const ask = ({ submit, rootKey }: TestOrganization, privateKeyName = 'Treasury', apiKey = rootKey) =>
  submit('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName })] }, { apiKey })

export const soon = () => new Promise((resolve) => setTimeout(resolve, 100))
/** The rows of notices, or of those to one address. */
export function rowsIn({ server }: TestOrganization, to?: string) {
  const rows = withDatabase(server.folder, (hand) => hand.read({ table: 'notices', where: {} }))
  const isTo = ({ user_id }: (typeof rows)[number], address: string) =>
    mailboxOfLine(String(user_id)) === mailboxOfLine(noticeLine({ to: address, askerId: '' }))
  return to === undefined ? rows : rows.filter((row) => isTo(row, to))
}

/** A sub-organization whose users have addresses that nobody has verified. Two of its root users decide. */
export async function subOrganizationOf(parent: TestOrganization, emails: readonly string[], { codes = 0 } = {}) {
  const child = organizationOf(parent, await parent.subOrganization())
  for (let index = 0; index < codes; index += 1) await child.done('init_otp', code)
  const apiKeys = () => [newApiKey({ apiKeyName: 'key' })]
  const users = emails.map((userEmail, index) => newUser({ userName: `user ${index}`, userEmail, apiKeys: apiKeys() }))
  const { userIds } = await child.done('create_users', { users })
  await child.done('update_root_quorum', { threshold: 2, userIds: [child.rootUserId, ...userIds] })
  return child
}

export const code: Parameters = { otpType: 'OTP_TYPE_EMAIL', contact: 'coded@example.org', appName: 'Acme' }
