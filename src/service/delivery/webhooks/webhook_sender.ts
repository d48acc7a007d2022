/** The entry of the worker thread that posts events to their receivers. */

import { workerData } from 'node:worker_threads'
import { serveSender } from '../serve_sender.ts'
import { createWebhookCarrier } from './webhook_carrier.ts'

serveSender(createWebhookCarrier(workerData))
