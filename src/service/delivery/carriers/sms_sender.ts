/** The entry of the worker thread that hands SMS to the gateway. */

import { workerData } from 'node:worker_threads'
import { serveSender } from '../serve_sender.ts'
import type { SmsThreadData } from './carrier_threads.ts'
import { createSmsGateway } from './sms.ts'

const { gateway, caFile }: SmsThreadData = workerData
serveSender(createSmsGateway(gateway, { caFile }))
