import { entryFile } from '../../../link/entry_file.ts'
import type { Message, Sms } from '../../../protocol/wire/outgoing_messages.ts'
import type { Log } from '../../process/log.ts'
import type { Carrier } from '../carrier.ts'
import { type SenderThread, startSenderThread } from '../sender_thread.ts'
import type { MailSender, SmsGateway, SmtpServer } from './addresses.ts'
import type { DressedMail } from './mail_html.ts'

/**
 * Carriers that send from a thread of their own, which begins with the first message and again after a fault. The other
 * side may be anybody on the way to the server in the settings, until it has proved its name. Users decide how often it
 * is asked.
 */

type ThreadParts = { readonly log: Pick<Log, 'error'> }

export type SmtpThreadData = { readonly server: SmtpServer; readonly sender: MailSender }

/** Hands mail to an SMTP server (`smtp.ts`). */
export function createSmtpThread(data: SmtpThreadData, parts: ThreadParts): Carrier<DressedMail> {
  return createCarrierThread('mail', { entry: 'smtp_sender', data }, parts)
}

export type SmsThreadData = { readonly gateway: SmsGateway; readonly caFile: string | undefined }

/** Hands SMS to a gateway (`sms.ts`). */
export function createSmsThread(data: SmsThreadData, parts: ThreadParts): Carrier<Sms> {
  return createCarrierThread('SMS', { entry: 'sms_sender', data }, parts)
}

/** `entry`: the file beside this one with which the thread begins. */
function createCarrierThread<M extends Message>(
  name: string,
  { entry, data }: { readonly entry: string; readonly data: unknown },
  { log }: ThreadParts,
): Carrier<M> {
  let thread: SenderThread<M> | undefined
  const start = () =>
    startSenderThread<M>({
      ...{ entryPath: entryFile(import.meta.dirname, entry), name, data },
      onError: (error) => log.error({ error }, `the thread that sends ${name} has failed`),
      onEnd() {
        thread = undefined
        return { kind: 'failed', reason: 'fault' }
      },
    })
  return (message, about) => {
    thread ??= start()
    return thread.send(message, about)
  }
}
