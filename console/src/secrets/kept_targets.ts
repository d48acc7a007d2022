import { keepBesideSession, readBesideSession } from '../stamping/key_store.ts'
import { type ExportTarget, newExportTarget, targetPublicKeyOf } from './bundles.ts'

/**
 * Makes the target of an export and keeps it until the log-out: the export may have to wait for approvals. Returns its
 * public key.
 */
export async function keepNewTarget(): Promise<string> {
  const target = await newExportTarget()
  const targetPublicKey = await targetPublicKeyOf(target)
  await keepBesideSession(nameOf(targetPublicKey), target)
  return targetPublicKey
}

/** Returns the target of an export that was asked for in this browser, since the last log-in. */
export async function keptTarget(targetPublicKey: string): Promise<ExportTarget | undefined> {
  return (await readBesideSession(nameOf(targetPublicKey))) as ExportTarget | undefined
}

function nameOf(targetPublicKey: string): string {
  return `export ${targetPublicKey}`
}
