import { join } from 'node:path'
import { AdminUnreachable } from '../../link/admin_error.ts'
import type { Operator } from '../../link/heads.ts'
import { callAdmin } from '../../link/socket.ts'
import { adminSocketFile, vaultSocketFile } from '../../link/socket_files.ts'

/** The data folder of a server, and that of its vault: another one where the vault is a process of its own. */
export type DataFolders = { readonly data: string; readonly vaultData: string }

/** Asks the service of the server on a data folder for the heads that its database shows. */
export function askService<T>(
  { data }: Pick<DataFolders, 'data'>,
  argument: { readonly organizationIds: readonly string[] },
): Promise<T> {
  return callAdmin({ path: join(data, adminSocketFile), verb: 'presentedHeads', argument }) as Promise<T>
}

/** Asks the vault of the server on a data folder. Says whether the server does not run or only its vault. */
export async function askVault<T>(
  { data, vaultData }: DataFolders,
  verb: keyof Operator,
  argument: object,
): Promise<T> {
  const path = join(vaultData, vaultSocketFile)
  try {
    return (await callAdmin({ path, verb, argument })) as T
  } catch (cause) {
    if (!(cause instanceof AdminUnreachable)) throw cause
    // This call throws when no server runs, and says so.
    await askService({ data }, { organizationIds: [] })
    throw new AdminUnreachable(
      `the vault of the server does not answer on ${path}: it is just starting, or the log of the server says why not; if the vault has a data folder of its own, name it with --vault-data`,
      { cause },
    )
  }
}
