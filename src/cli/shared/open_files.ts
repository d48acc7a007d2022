import { openFilesLimit } from '../../service/process/open_files_limit.ts'
import { CommandError, exitCodes } from './exit_codes.ts'

/**
 * At rest a server has 50 files and sockets open, and a vault 30. The rest is for clients, for up to 60 deliveries at
 * once, and for the processes of up to 64 vaults.
 */
const openFilesMin = 512

/**
 * Refuses a start that would fail halfway, or later, for want of file descriptors. The vault's process has the limit of
 * the one that starts it.
 */
export function refuseFewOpenFiles(): void {
  const openFilesMax = openFilesLimit()
  if (openFilesMax === undefined || openFilesMax >= openFilesMin) return
  const remedy = `raise the limit, by \`ulimit -n ${openFilesMin}\` before the start or by LimitNOFILE= in the unit`
  throw new CommandError(
    `${openFilesMax} open files are too few, ${openFilesMin} are needed: ${remedy}`,
    exitCodes.usage,
  )
}
