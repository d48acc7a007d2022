import type { ActivityContext } from '../../../contract/define.ts'
import type { Id } from '../../../contract/fields/ids.ts'
import { lookup, type Need, user } from '../../../contract/needs.ts'
import { type ImportTarget, importTargetKey } from '../../../contract/records/records.ts'
import { parseEncryptedBundle } from '../../../protocol/bundles/bundles.ts'
import type { SecretBytes } from '../../../protocol/crypto/secret_bytes.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'

type Imports = ImportTarget['imports']
type TargetContext = Pick<ActivityContext<unknown>, 'organization' | 'keys' | 'nowMs' | 'newId'>
type ForUser = { readonly userId: Id; readonly imports: Imports }

/** The most targets that a user may have open. A further one replaces the oldest. */
export const openTargetsMax = 4
const targetLifetimeMs = 24 * 60 * 60 * 1000

/** The reads of the user and of the user's open targets. */
export function targetReads({ userId, imports }: ForUser): readonly Need[] {
  return [user(userId), lookup('import_target', importTargetKey({ userId, imports }))]
}

/** Creates a key for one import, and returns the signed text that carries the key to the client. */
export function newImportTarget(
  { userId, imports }: ForUser,
  { organization, keys, newId }: Omit<TargetContext, 'nowMs'>,
): string {
  for (const older of openTargets({ userId, imports }, organization).slice(0, 1 - openTargetsMax)) {
    organization.importTargets.put({ ...older, isOpen: false })
  }
  const { secret, publicKey } = keys.newTarget()
  organization.importTargets.add({ importTargetId: newId(), userId, imports, isOpen: true }, secret)
  return keys.importTargetBundle({ publicKey, userId })
}

/** Opens what the user encrypted to an open target, which uses the target up. Throws FIELD_INVALID. */
export function openImport(
  { userId, imports, encryptedBundle }: ForUser & { readonly encryptedBundle: string },
  { organization, keys, nowMs }: Omit<TargetContext, 'newId'>,
): SecretBytes {
  const fieldPath = 'parameters.encryptedBundle'
  const sealed = parseEncryptedBundle(encryptedBundle, fieldPath)
  const targets = openTargets({ userId, imports }, organization)
  for (const target of targets.filter(({ createdAtMs }) => nowMs < createdAtMs + targetLifetimeMs)) {
    const opened = keys.openImport(target.importTargetId, sealed)
    if (opened === undefined) continue
    organization.importTargets.put({ ...target, isOpen: false })
    return opened
  }
  throw fieldInvalid(fieldPath, 'encrypted to the target of an init activity of this user that was not used before')
}

function openTargets(
  { userId, imports }: ForUser,
  organization: TargetContext['organization'],
): readonly ImportTarget[] {
  return organization.found('import_target', 'import_target', importTargetKey({ userId, imports }))
}
