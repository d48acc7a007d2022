import type { Command } from 'commander'
import { announceReady, untilStopped } from './run_server.ts'
import { addServerOptions, settingsOf } from './server_options.ts'
import { version } from './version.ts'

/** The server for production: makes neither a key file nor an organization by itself. */
export function registerServe(program: Command): void {
  addServerOptions(program.command('serve'))
    .description('run the server')
    .action(async (options) => {
      const stopped = untilStopped()
      const { startServer } = await import('../service/start.ts')
      const server = await startServer(settingsOf(options), { version, development: false })
      announceReady(server, options)
      await stopped
      await server.close()
    })
}
