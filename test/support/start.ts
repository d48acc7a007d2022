import { onTestFinished } from 'vitest'
import { type Server, startInProcess } from './in_process.ts'

/** Starts a server that is closed when the test has finished, if it was not closed before. */
export async function start(options: Parameters<typeof startInProcess>[0] = {}): Promise<Server> {
  const server = await startInProcess(options)
  onTestFinished(() => server.close())
  return server
}
