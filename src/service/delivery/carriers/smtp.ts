import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { handshakeBytesMax, limitInAll } from '../../../link/tls_limit.ts'
import { type Carrier, type Outcome, withCode } from '../carrier.ts'
import { boundedHandshake } from '../connections/trust.ts'
import type { MailSender, SmtpServer } from './addresses.ts'
import type { DressedMail } from './mail_html.ts'
import { mailOptions } from './mail_options.ts'

const connectionMsMax = 10_000
/** The longest time without a byte from the server. */
const silenceMsMax = 20_000
/** A server may say so much for one mail: its certificates and some lines. */
const sessionBytesMax = handshakeBytesMax + 4_096

/** Hands mail to an SMTP server (RFC 5321). Each mail has its own connection, so a broken one affects no other mail. */
export function createSmtp(
  { host, port, encryption, isLocal, login }: SmtpServer,
  sender: MailSender,
): Carrier<DressedMail> {
  const transport = createTransport({
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    tls: { rejectUnauthorized: !isLocal, ...boundedHandshake },
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password } }),
    getSocket: (_options, done) => done(null, { connection: connectLimited(host, port) }),
    connectionTimeout: connectionMsMax,
    greetingTimeout: connectionMsMax,
    socketTimeout: silenceMsMax,
  })
  // Where the local part is not in ASCII, the package turns the domain of the envelope back into Unicode, by rules that
  // are not ours. The recipients are those that we gave.
  transport.use('stream', ({ data: { envelope }, message }, done) => {
    message.getEnvelope().to = [envelope?.to ?? []].flat().map(String)
    done()
  })

  return async (mail, { messageId, signal }) => {
    try {
      await transport.sendMail({ ...mailOptions(mail, { sender, messageId }), signal })
      return { kind: 'delivered' }
    } catch (error) {
      return outcomeOf(error)
    }
  }
}

/**
 * Connects to the server, and returns the connection at once. Nodemailer speaks TLS over it by itself, from the first
 * byte or after STARTTLS, and uses no more of a socket than this has.
 */
function connectLimited(host: string, port: number): Socket {
  const raw = connect({ host, port, noDelay: true })
  const stream = limitInAll(raw, sessionBytesMax)
  raw.on('timeout', () => stream.emit('timeout'))
  return Object.assign(stream, { setTimeout: (ms: number) => raw.setTimeout(ms) }) as Socket
}

/** RFC 5321, section 4.2.1: 5yz is for good. Errors of login and encryption are not: the operator can mend them. */
function outcomeOf(error: unknown): Outcome {
  const { code, originalCode, responseCode } = membersOf(error)
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return { kind: 'failed', reason: 'authentication', ...replyCode(responseCode) }
    case 'ETLS':
      return { kind: 'failed', ...withCode('encryption', originalCode) }
    case 'EABORT':
    case 'ETIMEDOUT':
      return { kind: 'failed', reason: 'timeout' }
  }
  if (typeof responseCode === 'number') {
    return responseCode >= 500 && responseCode <= 599
      ? { kind: 'refused', reason: 'refused', code: responseCode }
      : { kind: 'failed', reason: 'refused for now', code: responseCode }
  }
  if (code === 'ESOCKET' || code === 'ECONNECTION' || code === 'EDNS') {
    return { kind: 'failed', ...withCode('unreachable', originalCode) }
  }
  return { kind: 'failed', ...withCode('fault', code) }
}

function replyCode(responseCode: unknown) {
  return typeof responseCode === 'number' ? { code: responseCode } : {}
}

function membersOf(error: unknown): Readonly<Record<string, unknown>> {
  return typeof error === 'object' && error !== null ? { ...error } : {}
}
