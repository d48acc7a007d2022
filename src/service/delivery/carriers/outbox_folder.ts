import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { makeFolder } from '../../../link/make_folder.ts'
import type { Sms } from '../../../protocol/wire/outgoing_messages.ts'
import { type Carrier, faultOf, type Outcome } from '../carrier.ts'
import type { MailSender } from './addresses.ts'
import type { DressedMail } from './mail_html.ts'
import { mailOptions } from './mail_options.ts'

/** For development: mail as `<message id>.eml` in a folder, for its owner only. */
export function createMailFolder(folder: string, sender: MailSender): Carrier<DressedMail> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return (mail, { messageId }) =>
    outcomeOf(async () => {
      const { message } = await transport.sendMail(mailOptions(mail, { sender, messageId }))
      if (!Buffer.isBuffer(message)) throw new Error('the transport gives a buffer')
      await writeWhole(folder, `${messageId}.eml`, message)
    })
}

/** For development: an SMS as `<message id>.txt`, `To: <number>`, an empty line, the text. */
export function createSmsFolder(folder: string): Carrier<Sms> {
  return ({ to, text }, { messageId }) =>
    outcomeOf(() => writeWhole(folder, `${messageId}.txt`, Buffer.from(`To: ${to}\n\n${text}\n`)))
}

/** Writes a file under another name first, so that a program that watches the folder never sees a part of it. */
async function writeWhole(folder: string, name: string, content: Uint8Array): Promise<void> {
  await makeFolder(folder)
  const temporaryPath = join(folder, `.${name}`)
  await writeFile(temporaryPath, content, { mode: 0o600, flush: true })
  await rename(temporaryPath, join(folder, name))
}

async function outcomeOf(write: () => Promise<void>): Promise<Outcome> {
  try {
    await write()
    return { kind: 'delivered' }
  } catch (error) {
    return faultOf(error)
  }
}
