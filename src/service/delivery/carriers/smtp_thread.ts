import { entryFile } from '../../../link/entry_file.ts'
import type { Log } from '../../process/log.ts'
import type { Carrier } from '../carrier.ts'
import { type SenderThread, startSenderThread } from '../sender_thread.ts'
import type { MailSender, SmtpServer } from './addresses.ts'
import type { DressedMail } from './mail_html.ts'

export type SmtpThreadData = { readonly server: SmtpServer; readonly sender: MailSender }

/**
 * Hands mail to an SMTP server (`smtp.ts`) from a thread of its own, which begins with the first mail and again after a
 * fault. The other side may be anybody on the way to the server, until it has proved its name.
 */
export function createSmtpThread(data: SmtpThreadData, { log }: { readonly log: Pick<Log, 'error'> }) {
  let thread: SenderThread<DressedMail> | undefined
  const start = () =>
    startSenderThread<DressedMail>({
      entryPath: entryFile(import.meta.dirname, 'smtp_sender'),
      name: 'mail',
      data,
      onError: (error) => log.error({ error }, 'the thread that sends mail has failed'),
      onEnd() {
        thread = undefined
        return { kind: 'failed', reason: 'fault' }
      },
    })
  const carry: Carrier<DressedMail> = (mail, about) => {
    thread ??= start()
    return thread.send(mail, about)
  }
  return carry
}
