import type { MessageChannel } from '../../../protocol/wire/outgoing_messages.ts'
import type { Log } from '../../process/log.ts'
import type { Carriers } from '../carrier.ts'
import type { MailSender, SmsGateway, SmtpServer } from './addresses.ts'
import { createSmsThread, createSmtpThread } from './carrier_threads.ts'
import { dressed, type MailLook } from './mail_html.ts'
import { createMailFolder, createSmsFolder } from './outbox_folder.ts'

export type DeliverySettings = {
  readonly smtp: SmtpServer | undefined
  readonly sender: MailSender
  readonly look: MailLook
  readonly smsGateway: SmsGateway | undefined
}

type CarrierParts = {
  readonly folder: string
  readonly caFile?: string | undefined
  readonly log: Pick<Log, 'error'>
}

/**
 * Makes a carrier for each channel: to the server in the settings, or else into files in `folder`. `caFile`: further
 * authorities in PEM.
 */
export function createCarriers(
  { smtp, sender, look, smsGateway }: DeliverySettings,
  { folder, caFile, log }: CarrierParts,
): Carriers {
  const carryMail =
    smtp === undefined ? createMailFolder(folder, sender) : createSmtpThread({ server: smtp, sender }, { log })
  return {
    mail: (mail, about) => carryMail(dressed(mail, look), about),
    sms: smsGateway === undefined ? createSmsFolder(folder) : createSmsThread({ gateway: smsGateway, caFile }, { log }),
  }
}

/** The channels whose messages become files, because the settings name no server. */
export function channelsInFiles({ smtp, smsGateway }: DeliverySettings): readonly MessageChannel[] {
  return [...(smtp === undefined ? (['mail'] as const) : []), ...(smsGateway === undefined ? (['sms'] as const) : [])]
}
