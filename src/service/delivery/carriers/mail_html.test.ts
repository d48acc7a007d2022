import axe from 'axe-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openAddress } from '../../../../test/support/browser.ts'
import { setView } from '../../../../test/support/console.ts'
import { startMailServer } from '../../../../test/support/smtp_server.ts'
import { credentialMail } from '../../../contract/mails.ts'
import { invitationMail } from '../../../operations/invitations/shared/invitations.ts'
import { passcodeMessage } from '../../../operations/sessions/shared/passcode_messages.ts'
import { type Notice, noticeKinds } from '../../../protocol/wire/notices.ts'
import type { Mail, Message } from '../../../protocol/wire/outgoing_messages.ts'
import { noticeMail } from '../notice_mail.ts'
import { parseSmtpUrl } from './addresses.ts'
import { dressed, type MailLook } from './mail_html.ts'
import { createSmtp } from './smtp.ts'

/** A PNG of one transparent pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const look: MailLook = {
  name: 'Keys <b>of</b> "Acme"',
  color: '#ffd54a',
  logo: { type: 'image/png', bytes: pixel },
  support: 'help@acme.example',
}
const evil = '<img src=x onerror=alert(1)>'
const codes = '1'.repeat(180)

const mailOf = (message: Message): Mail => (message.channel === 'mail' ? message : expect.fail('this is a mail'))

const passcode = (appName: string, logoUrl?: string) =>
  mailOf(
    passcodeMessage('XK7QPASSC', {
      otpType: 'OTP_TYPE_EMAIL',
      contact: 'ada@example.com',
      expiresAtMs: 0,
      seconds: 300,
      look: { appName, sender: {}, ...(logoUrl === undefined ? {} : { logoUrl }) },
    }),
  )
const invitation = (name: string) =>
  invitationMail({
    organizationName: name,
    sender: name,
    receiver: name,
    receiverEmail: 'ada@example.com',
    link: `https://keys.example/#/invitation/${codes}`,
  })
const recovery = (appName: string) =>
  credentialMail(
    { subject: 'Recover', introduction: 'Recover.', action: 'Recover your account', advice: 'Once.' },
    { to: 'ada@example.com', credentialBundle: codes, customization: { appName }, sender: {} },
  )

/** More notices than have their whole text in one mail. */
const digest = (name: string) => {
  const kinds = [...noticeKinds, ...noticeKinds, ...noticeKinds]
  const notices = kinds.map((kind, index): Notice => {
    const title = `Send 1.5 ETH to ${codes} by ${name}`
    const link = `https://keys.example/#/activities/${index}`
    return { channel: 'notice', kind, to: 'ada@example.com', title, text: `from: ${name}\n  to: ${codes}`, link }
  })
  const [first, ...others] = notices
  return first === undefined ? expect.fail('there are notices') : noticeMail([first, ...others])
}

/** The mail as an SMTP server has received it, read by another library. */
async function sent(mail: Mail, given = look) {
  const server = await startMailServer()
  onTestFinished(() => server.close())
  const smtp = parseSmtpUrl(`smtp://127.0.0.1:${server.port}`) ?? expect.fail('no address of a server')
  const sender = { address: 'keys@example.org', name: 'Keys' }
  const about = { messageId: '0198c0de-0000-7000-8000-000000000001', signal: AbortSignal.timeout(20_000) }
  expect(await createSmtp(smtp, sender)(dressed(mail, given), about)).toEqual({ kind: 'delivered' })
  return server.received[0]?.mail ?? expect.fail('a mail arrives')
}

describe('every mail', () => {
  test.each([
    ['passcode', passcode('Shop')],
    ['recovery', recovery('Shop')],
    ['invitation', invitation('Acme')],
  ])('has the look of the server in both parts: %s', async (_, mail) => {
    const { html = '', text } = await sent(mail)
    expect(text).toContain(mail.text.trimEnd())
    expect(text).toMatch(/-- \nSent by Keys <b>of<\/b> "Acme"\.\nHelp: help@acme\.example\n$/)
    expect(html).toContain('background: #ffd54a; color: #000000')
    expect(html).toContain('Help: <a href="mailto:help@acme.example">')
    expect(html).toContain('Sent by Keys &#60;b&#62;of&#60;/b&#62; &#34;Acme&#34;.')
  })

  test('carries the logo of the server, and asks no server for anything', async () => {
    const { html = '', attachments } = await sent(invitation('Acme'))
    expect(html).toContain('<img src="cid:logo@claviger" alt="Keys &#60;b&#62;of')
    expect(attachments).toMatchObject([
      { mimeType: 'image/png', contentId: '<logo@claviger>', disposition: 'inline', filename: 'logo.png' },
    ])
    expect(Buffer.from(attachments[0]?.content as ArrayBuffer).equals(pixel)).toBe(true)
    expect(html.match(/(?:src|background|url)\s*[=(:]\s*"?https?:/g)).toBeNull()
  })

  test('speaks in the name of the app that the request names, with its logo', async () => {
    const named = await sent(passcode('Shop & Sons'))
    expect(named.html).toContain('<div class="head">Shop &#38; Sons</div>')
    expect(named.attachments).toEqual([])
    const { html } = await sent(passcode('Shop', 'https://shop.example/logo.png'))
    expect(html).toContain('<div class="head"><img src="https://shop.example/logo.png" alt="Shop"></div>')
  })

  test('without a logo has the name alone', async () => {
    const { html, attachments, text } = await sent(invitation('Acme'), { ...look, logo: undefined, support: undefined })
    expect(html).toContain('<div class="head">Keys &#60;b&#62;of')
    expect(attachments).toEqual([])
    expect(text).not.toContain('Help:')
  })

  test('that an earlier version has sealed is sent as it is', async () => {
    const html = '<!doctype html>\n<p>Hello</p>\n'
    expect((await sent({ ...passcode('Shop'), html })).html?.trim()).toBe(html.trim())
  })
})

describe('a text that somebody set', () => {
  test.each([
    ['passcode', passcode],
    ['recovery', recovery],
    ['invitation', invitation],
    ['digest', digest],
  ])('is no HTML: %s', async (_, mail) => {
    const { html = '' } = await sent(mail(evil))
    expect(html).not.toContain('<img src=x')
    expect(html.split('<')).toHaveLength(((await sent(mail('harmless'))).html ?? '').split('<').length)
  })

  test.each([
    ['passcode', passcode],
    ['invitation', invitation],
  ])('cannot reverse text or pass for another name: %s', async (_, mail) => {
    const reversed = await sent(mail('Acme\u202egro.live'))
    for (const part of [reversed.subject, reversed.text, reversed.html]) {
      expect(part).not.toContain('\u202e')
      expect(part).toContain('⟨U+202E⟩')
    }
    expect((await sent(mail('Аcmе'))).text).toContain('“Аcmе” [beware: mixed scripts]')
    expect((await sent(mail('بنك'))).subject).toContain('“\u2068بنك\u2069”')
  })

  test('of any length fits a subject', async () => {
    expect((await sent(passcode('\u3164'.repeat(255)))).subject).toMatch(/^Your passcode for “⟨U\+3164⟩.*…$/)
  })
})

test.for(['#ffd54a', '#335a85', '#808080'])(
  'a mail in %s fits a phone, and axe finds nothing in it, in light and in dark',
  async (color, context) => {
    for (const mail of [passcode('Shop'), invitation('A'.repeat(100)), recovery('Shop'), digest('A'.repeat(100))]) {
      const { html = '' } = await sent(mail, { ...look, color })
      const shown = html.replace('cid:logo@claviger', `data:image/png;base64,${pixel.toString('base64')}`)
      const asked: string[] = []
      const url = `data:text/html;base64,${Buffer.from(shown).toString('base64')}`
      const page = await openAddress(context, url, {
        onEvent: ({ method, params }) => {
          if (method === 'Network.requestWillBeSent') asked.push(JSON.stringify(params.request).slice(0, 60))
        },
        prepare: async (send) => void (await send('Network.enable', {})),
      })
      await page.evaluate('(text) => { (0, eval)(text) }', axe.source)
      for (const colours of ['light', 'dark'] as const) {
        await setView(page.send, { width: 375, height: 720, colours })
        expect(await page.evaluate('() => document.documentElement.scrollWidth')).toBe(375)
        const background = await page.evaluate('() => getComputedStyle(document.body).backgroundColor')
        expect(background).toBe(colours === 'light' ? 'rgb(243, 245, 247)' : 'rgb(16, 22, 29)')
        const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          `() => axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })`,
        )
        expect(violations.map(({ id, nodes }) => [id, ...nodes.map((node) => node.html)])).toEqual([])
      }
      expect(asked.filter((request) => !request.startsWith('{"url":"data:'))).toEqual([])
    }
  },
)
