import * as original from '../../../src/link/vault_command.ts'
import { ownOption } from './points.ts'

export * from '../../../src/link/vault_command.ts'

/** The vault's process is wrapped too. */
export function vaultCommand(
  ...given: Parameters<typeof original.vaultCommand>
): ReturnType<typeof original.vaultCommand> {
  const command = original.vaultCommand(...given)
  return { ...command, parts: [...(ownOption === undefined ? [] : [ownOption]), ...command.parts] }
}
