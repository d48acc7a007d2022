import { resolve } from 'node:path'
import type { Command } from 'commander'
import { verifierKeyOf, verifierOf } from '../protocol/log/notes/signatures.ts'
import { createLog } from '../service/process/log.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { refuseFewOpenFiles } from './shared/open_files.ts'
import { wholeNumber } from './shared/option_values.ts'
import { stopSignal, untilStopped } from './shared/run_server.ts'
import { announce, refuseLostOutput } from './shared/standard_output.ts'
import { keyFileIn, readKeyFile, verifierKeysOf } from './witness/cosigning_keys.ts'
import { registerWitnessCreate } from './witness/create.ts'
import { lockHeads, openHeads } from './witness/kept_heads.ts'
import { listen } from './witness/listener.ts'
import { createWitness } from './witness/witness.ts'
import { readWitnessedLogs } from './witness/witnessed_logs.ts'

type WitnessOptions = {
  readonly data?: string
  readonly logs?: string
  readonly host: string
  readonly port: number
  readonly json: boolean
}

/** A witness for the logs of others: it cosigns only what continues what it has cosigned before. */
export function registerWitness(program: Command): void {
  const witness = program
    .command('witness')
    .description('cosign the transparency logs of others, as long as each checkpoint continues the one before')
    .enablePositionalOptions()
    .option('--data <folder>', 'folder of the witness, which `witness create` has made')
    .option('--logs <file>', 'file with a line `log <key>` for each key of each log')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes any', wholeNumber({ min: 0, max: 65_535 }), 8_790)
    .option('--json', 'print one JSON object for each event', false)
    .action(runWitness)
  registerWitnessCreate(witness)
}

async function runWitness({ data, logs: logsFile, host, port, json }: WitnessOptions): Promise<void> {
  const stopping = stopSignal()
  if (data === undefined || logsFile === undefined) {
    throw new CommandError('give --data <folder> and --logs <file>', exitCodes.usage)
  }
  refuseFewOpenFiles()
  const folder = resolve(data)
  const logs = readWitnessedLogs(resolve(logsFile))
  const keys = readKeyFile(keyFileIn(folder))
  const own = keys.map((key) => verifierOf(verifierKeyOf(key)))
  const log = createLog({ level: 'info' })
  await using started = new AsyncDisposableStack()
  const lock = lockHeads(folder)
  started.defer(() => lock.release())
  const heads = await openHeads(folder, own)
  const witness = createWitness({ logs, keys, heads, log })
  const listener = await listen({ address: { host, port }, witness, heads, log })
  started.defer(() => listener.close())
  const { url } = listener
  // A log that cannot be written is known by its first line.
  log.info({ url }, 'ready')
  refuseLostOutput()
  const ready = { event: 'ready', url, keys: verifierKeysOf(keys), origins: [...logs.keys()] }
  announce(json ? JSON.stringify(ready) : `claviger: the witness is ready on ${url}`)
  refuseLostOutput()
  await untilStopped(stopping)
}
