/** The entry of the worker thread that hands mail to the SMTP server. */

import { workerData } from 'node:worker_threads'
import { serveSender } from '../serve_sender.ts'
import type { SmtpThreadData } from './carrier_threads.ts'
import { createSmtp } from './smtp.ts'

const { server, sender }: SmtpThreadData = workerData
serveSender(createSmtp(server, sender))
