import type { SendMailOptions } from 'nodemailer'
import { routedAddress } from '../../../protocol/wire/mail_addresses.ts'
import { assertMessage } from '../../../protocol/wire/outgoing_messages.ts'
import type { MailSender } from './addresses.ts'
import { encodedWords } from './header_words.ts'
import { type DressedMail, type Logo, logoId } from './mail_html.ts'

/**
 * Makes nodemailer's options from a mail: UTF-8, with the HTML part as an alternative. The envelope is explicit, so
 * that no header decides the recipient, and has the spelling by which mailboxes are told apart. Throws for a field with
 * several addresses or lines, because nodemailer takes a text of two addresses for two recipients.
 */
export function mailOptions(
  mail: DressedMail,
  { sender, messageId }: { readonly sender: MailSender; readonly messageId: string },
): SendMailOptions {
  assertMessage(mail)
  const { to, subject, text, html, logo, from = {}, replyTo } = mail
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
  const subjectWords = encodedWords(subject)
  return {
    envelope: { from: sender.address, to: [routedAddress(to)] },
    from: { name: from.name ?? sender.name ?? '', address: from.address ?? sender.address },
    to: { name: '', address: to },
    ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
    ...(subjectWords === undefined ? { subject } : {}),
    text,
    ...(html === undefined ? {} : { html }),
    ...(logo === undefined ? {} : { attachments: [attachmentOf(logo)] }),
    messageId: `<${messageId}@${domain}>`,
    // RFC 3834: no out-of-office answers.
    headers: {
      'Auto-Submitted': 'auto-generated',
      // Taken as it is: nodemailer would leave an encoded word in the text of others for readers to decode.
      ...(subjectWords === undefined ? {} : { Subject: { prepared: true, value: subjectWords } }),
    },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function attachmentOf({ type, bytes }: Logo) {
  const filename = type === 'image/png' ? 'logo.png' : 'logo.jpg'
  return {
    filename,
    content: Buffer.from(bytes),
    contentType: type,
    cid: logoId,
    contentDisposition: 'inline',
  } as const
}
