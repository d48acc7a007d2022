import type { SMTPServerOptions } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../../../test/support/certificates.ts'
import {
  freePort,
  type MailServer,
  refusal,
  startHangingServer,
  startMailServer,
  startPlainServer,
} from '../../../../test/support/smtp_server.ts'
import type { Mail } from '../../../protocol/wire/outgoing_messages.ts'
import { type MailSender, parseSmtpUrl } from './addresses.ts'
import { createSmtp } from './smtp.ts'

const sender: MailSender = { address: 'keys@example.org', name: 'Schlüssel' }
const mail: Mail = { channel: 'mail', to: 'ada@example.org', subject: 'Your code', text: 'XK7-passcode' }
const messageId = '0198c0de-0000-7000-8000-000000000001'

async function serve(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(() => server.close())
  return server
}

/** Sends one mail through the address of a setting. */
function send(url: string, given: Mail = mail, signal = AbortSignal.timeout(20_000)) {
  const server = parseSmtpUrl(url) ?? expect.fail('no address of a server')
  return createSmtp(server, sender)(given, { messageId, signal })
}

const local = ({ port }: { readonly port: number }) => `smtp://127.0.0.1:${port}`

describe('what arrives, read by another library, is what was sent:', () => {
  test('a plain mail', async () => {
    const server = await serve()
    expect(await send(local(server))).toEqual({ kind: 'delivered' })
    const [received] = server.received
    expect(received).toMatchObject({ from: 'keys@example.org', to: ['ada@example.org'], isEncrypted: false })
    expect(received?.mail).toMatchObject({
      from: { name: 'Schlüssel', address: 'keys@example.org' },
      to: [{ name: '', address: 'ada@example.org' }],
      subject: 'Your code',
      text: 'XK7-passcode\n',
      messageId: `<${messageId}@example.org>`,
      attachments: [],
    })
    expect(received?.mail.html).toBeUndefined()
    expect(received?.raw).toContain('Auto-Submitted: auto-generated')
    expect(received?.raw).not.toMatch(/nodemailer/i)
  })

  test('UTF-8 in every part, an HTML part, lines of every kind', async () => {
    const server = await serve()
    const given: Mail = {
      ...mail,
      subject: 'Dein Zugangscode für „Müller & Söhne“ — 認証コード 🔑, lang genug, um über mehrere Zeilen zu gehen',
      text: `Grüße 認証 🔑\n.\n..dots\nFrom here\n${'lang '.repeat(400)}\n\tEnde`,
      html: '<p>Grüße <b>認証</b> 🔑 &amp; <a href="https://example.org/?a=b=c">Link</a></p>',
      from: { name: 'Müller „GmbH“, Köln' },
      replyTo: 'hilfe@example.org',
    }
    expect(await send(local(server), given)).toEqual({ kind: 'delivered' })
    expect(server.received[0]?.mail).toMatchObject({
      subject: given.subject,
      text: `${given.text}\n`,
      html: `${given.html}\n`,
      from: { name: 'Müller „GmbH“, Köln', address: 'keys@example.org' },
      replyTo: [{ address: 'hilfe@example.org' }],
    })
  })

  test('an address of its own in the header, while bounces go to the operator', async () => {
    const server = await serve()
    await send(local(server), { ...mail, from: { address: 'shop@example.com' } })
    expect(server.received[0]).toMatchObject({
      from: 'keys@example.org',
      mail: { from: { name: 'Schlüssel', address: 'shop@example.com' } },
    })
  })

  test('an address with characters beyond ASCII', async () => {
    const server = await serve()
    expect(await send(local(server), { ...mail, to: 'jürgen@müller.example' })).toEqual({ kind: 'delivered' })
    expect(server.received[0]?.to).toEqual(['jürgen@müller.example'])
  })

  test('mail to each spelling of a mailbox goes to one address', async () => {
    const server = await serve()
    const spellings = [
      'ju\u0308rgen@mu\u0308ller.example',
      'jürgen@ＭÜＬＬＥＲ。example.',
      'jürgen@xn--mller-kva.example',
    ]
    for (const to of spellings) expect(await send(local(server), { ...mail, to })).toEqual({ kind: 'delivered' })
    expect(server.received.map(({ to }) => to)).toEqual(spellings.map(() => ['jürgen@müller.example']))
  })

  test('on the wire the domain of the recipient is in ASCII, whatever stands before the @', async () => {
    const server = await startPlainServer()
    onTestFinished(() => void server.close())
    const spellings = ['jurgen@müller.example', 'jürgen@müller.example', 'Jürgen@xn--mller-kva.example.']
    for (const to of spellings) expect(await send(local(server), { ...mail, to })).toEqual({ kind: 'delivered' })
    const recipients = server.commands.filter((line) => line.startsWith('RCPT'))
    const locals = ['jurgen', 'jürgen', 'Jürgen']
    expect(recipients).toEqual(locals.map((each) => `RCPT TO:<${each}@xn--mller-kva.example>`))
  })
})

describe('more than one line in a header, or than one recipient, is not sent even if the vault had let it pass:', () => {
  const injected = '\r\nBcc: eve@example.org\r\nX-Injected: yes\r\n\r\nbody'
  test.each<[string, Partial<Mail>]>([
    ['subject', { subject: `Code${injected}` }],
    ['recipient', { to: `ada@example.org${injected}` }],
    ['two recipients', { to: 'ada@example.org, eve@example.org' }],
    ['recipient and command', { to: 'ada@example.org>\r\nRCPT TO:<eve@example.org' }],
    ["sender's name", { from: { name: `Keys${injected}` } }],
    ["sender's address", { from: { address: `shop@example.org${injected}` } }],
    ['address for replies', { replyTo: `help@example.org${injected}` }],
  ])('%s', async (_, change) => {
    const server = await serve()
    expect(await send(local(server), { ...mail, ...change })).toEqual({ kind: 'failed', reason: 'fault' })
    expect(server.received).toEqual([])
  })
})

describe('encryption', () => {
  const starttls = { disabledCommands: ['AUTH'] }

  test('is used on this machine when it is offered, whatever the certificate', async () => {
    const server = await serve(starttls)
    expect(await send(local(server))).toEqual({ kind: 'delivered' })
    expect(server.received[0]?.isEncrypted).toBe(true)
  })

  test('from the first byte', async () => {
    const server = await serve({ ...starttls, secure: true })
    expect(await send(`smtps://127.0.0.1:${server.port}`)).toEqual({ kind: 'delivered' })
    expect(server.received[0]?.isEncrypted).toBe(true)
  })

  test('that is required and not offered keeps the mail back', async () => {
    const server = await serve()
    const outcome = await send(`${local(server)}?requireTLS=true`)
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'encryption' })
    expect(server.received).toEqual([])
  })

  test.each(['tls', 'starttls', 'opportunistic'] as const)(
    'with a server elsewhere needs a certificate that is its own: %s',
    async (encryption) => {
      const server = await serve({ ...starttls, secure: encryption === 'tls' })
      const elsewhere = { host: '127.0.0.1', port: server.port, encryption, isLocal: false, login: undefined }
      const outcome = await createSmtp(elsewhere, sender)(mail, { messageId, signal: AbortSignal.timeout(20_000) })
      expect(outcome).toMatchObject({ kind: 'failed', code: expect.stringMatching(/CERT|SELF_SIGNED|SIGNATURE/) })
      expect(server.received).toEqual([])
    },
  )
})

describe('a login', () => {
  const options: SMTPServerOptions = {
    disabledCommands: ['STARTTLS'],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'ada@example.org' && password === 'p:w/ü') done(null, { user: 'ada' })
      else done(refusal(535, `no ${username} with ${password}`))
    },
  }

  test('uses the user and password of the address', async () => {
    const server = await serve(options)
    expect(await send(`smtp://ada%40example.org:p%3Aw%2F%C3%BC@127.0.0.1:${server.port}`)).toEqual({
      kind: 'delivered',
    })
  })

  test('that is refused does not drop the mail, which is tried again: the operator can mend it', async () => {
    const server = await serve(options)
    const outcome = await send(`smtp://ada:wrong@127.0.0.1:${server.port}`)
    expect(outcome).toEqual({ kind: 'failed', reason: 'authentication', code: 535 })
  })
})

describe('a server that', () => {
  const text = 'no XK7-passcode for ada@example.org'
  const stages: readonly [string, (code: number) => SMTPServerOptions][] = [
    ['greeting', (code) => ({ onConnect: (_session, done) => done(refusal(code, text)) })],
    ['the sender', (code) => ({ onMailFrom: (_address, _session, done) => done(refusal(code, text)) })],
    ['the recipient', (code) => ({ onRcptTo: (_address, _session, done) => done(refusal(code, text)) })],
    [
      'the content',
      (code) => ({
        onData: (stream, _session, done) => {
          stream.resume()
          stream.on('end', () => done(refusal(code, text)))
        },
      }),
    ],
  ]
  test.each(stages)('refuses %s', async (_, options) => {
    expect(await send(local(await serve(options(451))))).toEqual({
      kind: 'failed',
      reason: 'refused for now',
      code: 451,
    })
    expect(await send(local(await serve(options(550))))).toEqual({ kind: 'refused', reason: 'refused', code: 550 })
  })

  const tooLong = { kind: 'failed', reason: 'unreachable', code: 'ANSWER_TOO_LONG' }

  test.each([true, false])('has more certificates than anybody needs is hung up on: %s', async (secure) => {
    const authority = createAuthority()
    const { cert, key } = authority.issue({ hosts: ['localhost'] })
    const serveWith = (chainBytes: number) => {
      const others = authority.certificate.repeat(chainBytes / 300) // a certificate has about 350 bytes
      return serve({ disabledCommands: ['AUTH'], secure, key, cert: cert + others })
    }
    const addressOf = ({ port }: MailServer) => `${secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`
    expect(await send(addressOf(await serveWith(16_384)))).toEqual(tooLong)
    expect(await send(addressOf(await serveWith(9_000)))).toEqual({ kind: 'delivered' })
  })

  test('sends lines without end is hung up on', async () => {
    const server = await startHangingServer({ greeting: '220-mail.example\r\n'.repeat(2_000) })
    onTestFinished(() => server.close())
    expect(await send(local(server))).toEqual(tooLong)
  })

  test('chooses the group of Diffie-Hellman, which may be a slow one, is refused', async () => {
    const { cert, key } = createAuthority().issue({ hosts: ['localhost'], keyType: 'rsa' })
    const ofServer = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' } as const
    const server = await serve({ disabledCommands: ['AUTH'], secure: true, cert, key, ...ofServer })
    expect(await send(`smtps://127.0.0.1:${server.port}`)).toMatchObject({ kind: 'failed', reason: 'unreachable' })
    expect(server.received).toEqual([])
  })

  test('is away', async () => {
    const outcome = await send(`smtp://127.0.0.1:${await freePort()}`)
    expect(outcome).toEqual({ kind: 'failed', reason: 'unreachable', code: 'ECONNREFUSED' })
  })

  test('does not exist', async () => {
    const outcome = await send('smtp://nowhere.invalid:25')
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'unreachable' })
  })

  test.each([
    ['says nothing', ''],
    ['stops in the middle', '220 mail.example ESMTP\r\n'],
    ['greets without end', '220-mail.example\r\n'],
  ])('%s is left when the time is up', async (_, greeting) => {
    const server = await startHangingServer({ greeting })
    onTestFinished(() => server.close())
    const stop = new AbortController()
    const sent = send(local(server), mail, stop.signal)
    await server.connected
    stop.abort()
    expect(await sent).toEqual({ kind: 'failed', reason: 'timeout' })
  })

  test('speaks another protocol', async () => {
    const server = await startHangingServer({ greeting: 'SSH-2.0-OpenSSH XK7-passcode\r\n' })
    onTestFinished(() => server.close())
    expect(await send(local(server), mail, AbortSignal.timeout(300))).toMatchObject({ kind: 'failed' })
  })
})
