import Type from 'typebox'
import { compileCheck } from '../../contract/fields/check_object.ts'
import { fields, Label } from '../../contract/fields/fields.ts'
import { AdminError } from '../../link/admin_error.ts'
import type { CreateOrganizationRequest } from '../../link/verbs.ts'
import { parseApiPublicKey } from '../../protocol/stamps/api_keys.ts'
import type { JsonValue } from '../../protocol/wire/json.ts'
import type { Store } from '../store/store.ts'
import type { VaultClient } from '../vault/client.ts'

type OrganizationHandlerParts = {
  readonly store: Pick<Store, 'commit'>
  readonly vault: Pick<VaultClient, 'createOrganization' | 'confirm'>
}

const check = compileCheck(
  fields({
    organizationName: Label,
    userName: Label,
    apiKeyName: Label,
    apiPublicKey: Type.String({ expected: 'a public key in hex' }),
  }),
)

/** Makes a root organization. Only the operator's socket calls this, never the network. */
export function createOrganizationHandler({ store, vault }: OrganizationHandlerParts) {
  return async (argument: unknown): Promise<{ organizationId: string; userId: string }> => {
    const { organizationId, userId, commit, decisionId } = await vault.createOrganization(readRequest(argument))
    if ((await store.commit(commit)) === 'conflict') throw new AdminError('the new id was taken: try again')
    const { kind } = await vault.confirm({ decisionId })
    if (kind !== 'answer') throw new AdminError(`the organization was not acknowledged (${kind}): make another one`)
    return { organizationId, userId }
  }
}

/** Checks names as for any client. Throws a `Failure` or an `AdminError` that names the field. */
function readRequest(argument: unknown): CreateOrganizationRequest {
  const request = check(argument as JsonValue, '')
  const apiPublicKey = parseApiPublicKey({ curveType: 'API_KEY_CURVE_P256', publicKey: request.apiPublicKey })
  if (apiPublicKey === undefined) {
    throw new AdminError(
      'apiPublicKey must be a compressed P-256 point, 33 bytes in hex, as `claviger key generate --curve p256` prints it',
    )
  }
  return { ...request, userEmail: undefined, apiPublicKey }
}
