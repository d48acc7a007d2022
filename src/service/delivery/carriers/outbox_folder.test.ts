import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import type { Mail, Sms } from '../../../protocol/wire/outgoing_messages.ts'
import { createMailFolder, createSmsFolder } from './outbox_folder.ts'

const sender = { address: 'keys@localhost', name: 'Claviger' }
const mail: Mail = {
  channel: 'mail',
  to: 'ada@example.org',
  subject: 'Grüße 認証',
  text: 'XK7-passcode 🔑',
  html: '<b>XK7-passcode</b> 🔑',
}
const sms: Sms = { channel: 'sms', to: '+14155550123', text: 'Grüße\nXK7-passcode' }
const about = { messageId: '0198c0de-0000-7000-8000-000000000001', signal: AbortSignal.timeout(20_000) }

const freshFolder = () => join(mkdtempSync(join(tmpdir(), 'claviger-folder-')), 'data', 'outbox')

test('a mail becomes a file that mail programs read, for its owner only', async () => {
  const folder = freshFolder()
  expect(await createMailFolder(folder, sender)(mail, about)).toEqual({ kind: 'delivered' })
  expect(readdirSync(folder)).toEqual([`${about.messageId}.eml`])
  const path = join(folder, `${about.messageId}.eml`)
  expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700])
  expect(await PostalMime.parse(readFileSync(path))).toMatchObject({
    from: { name: 'Claviger', address: 'keys@localhost' },
    to: [{ address: mail.to }],
    subject: mail.subject,
    text: `${mail.text}\n`,
    html: `${mail.html}\n`,
  })
})

const word = `=?utf-8?B?${Buffer.from('pаypal \u202egnp.exe').toString('base64')}?=`

test.each([
  word,
  `Approve "${word}" of Ada`,
  `${word} ${word} ${'x'.repeat(150)}`,
  `Grüße ${word}`,
  '=?',
  'a =?= b',
  '=?utf-8?Q?a=E2=80=AEb?=',
])('an encoded word in a subject stays the text that it is: %s', async (text) => {
  const folder = freshFolder()
  await createMailFolder(folder, sender)({ ...mail, subject: text }, about)
  const bytes = readFileSync(join(folder, `${about.messageId}.eml`))
  expect((await PostalMime.parse(bytes)).subject).toBe(text)
  const [head = ''] = bytes.toString().split('\r\n\r\n')
  expect(head.split('\r\n').filter((line) => line.length > 78)).toEqual([])
  const headers = head.replaceAll(/\r?\n[ ]/g, ' ')
  expect(headers).not.toContain(word)
  expect(headers.match(/^Subject:/gim)).toHaveLength(1)
})

test('an SMS becomes a file with number and text, for its owner only', async () => {
  const folder = freshFolder()
  expect(await createSmsFolder(folder)(sms, about)).toEqual({ kind: 'delivered' })
  expect(readdirSync(folder)).toEqual([`${about.messageId}.txt`])
  const path = join(folder, `${about.messageId}.txt`)
  expect(readFileSync(path, 'utf8')).toBe('To: +14155550123\n\nGrüße\nXK7-passcode\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a message that is delivered again is the same file', async () => {
  const folder = freshFolder()
  for (let time = 1; time <= 2; time += 1) await createSmsFolder(folder)(sms, about)
  expect(readdirSync(folder)).toHaveLength(1)
})

test('a message is tried again later when the folder cannot be written', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'claviger-folder-')), 'file')
  writeFileSync(folder, '')
  expect(await createSmsFolder(folder)(sms, about)).toEqual({ kind: 'failed', reason: 'fault', code: 'EEXIST' })
  expect(await createMailFolder(folder, sender)(mail, about)).toMatchObject({ kind: 'failed', reason: 'fault' })
})
