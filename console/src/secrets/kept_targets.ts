import { keepBesideSession, type Owner, readBesideSession } from '../stamping/key_store.ts'
import { type ExportTarget, newExportTarget, targetPublicKeyOf } from './bundles.ts'

/**
 * Makes the target of an export and keeps it for its user until the log-out: the export may have to wait for approvals.
 * Returns its public key.
 */
export async function keepNewTarget(owner: Owner): Promise<string> {
  const target = await newExportTarget()
  const targetPublicKey = await targetPublicKeyOf(target)
  await keepBesideSession(owner, nameOf(owner, targetPublicKey), target)
  return targetPublicKey
}

/** Returns the target of an export that this user asked for in this browser, since the last log-in. */
export async function keptTarget(owner: Owner, targetPublicKey: string): Promise<ExportTarget | undefined> {
  return (await readBesideSession(nameOf(owner, targetPublicKey))) as ExportTarget | undefined
}

function nameOf({ organizationId, userId }: Owner, targetPublicKey: string): string {
  return `export ${organizationId} ${userId} ${targetPublicKey}`
}
