import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * How a person starts the command line in the folder where this process was started. A checkout has it at hand; npm
 * takes seconds to start it elsewhere.
 */
export function commandName(folder = process.cwd()): 'bin/claviger' | 'npx claviger' {
  return existsSync(join(folder, 'bin', 'claviger')) ? 'bin/claviger' : 'npx claviger'
}
