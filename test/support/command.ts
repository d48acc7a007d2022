import { text } from 'node:stream/consumers'
import { bundledProgram } from './bundle.ts'
import { plainEnvironment, repositoryFolder } from './running_server.ts'
import { spawnApart } from './spawner.ts'

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Runs the command line of this repository to its end without a terminal, as a script does. */
export async function claviger(...parts: readonly string[]): Promise<Ran> {
  const child = spawnApart(process.execPath, [bundledProgram(), ...parts], {
    cwd: repositoryFolder,
    env: plainEnvironment(),
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [code, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}
