import type { Command } from 'commander'
import { version } from '../link/version.ts'
import { refuseFewOpenFiles } from './shared/open_files.ts'
import { announceReady, stopSignal, untilStopped } from './shared/run_server.ts'
import { addServerOptions, settingsOf } from './shared/server_options.ts'

/** The server for production: makes neither a key file nor an organization by itself. */
export function registerServe(program: Command): void {
  addServerOptions(program.command('serve'))
    .description('run the server')
    .action(async (options) => {
      const stopping = stopSignal()
      refuseFewOpenFiles()
      const { startServer } = await import('../service/start.ts')
      const server = await startServer(settingsOf(options), { version, development: false, stopping })
      try {
        announceReady(server, options)
        await untilStopped(stopping)
      } finally {
        await server.close()
      }
    })
}
