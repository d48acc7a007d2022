import type { VaultClient } from '../../vault/client.ts'
import type { CreateOrganizationRequest } from '../../vault/verbs.ts'
import type { Store } from '../store/store.ts'
import { AdminError } from './socket.ts'

/** Makes a root organization: over the operator's socket only, never over the network. */
export function createOrganizationHandler({ store, vault }: { store: Store; vault: VaultClient }) {
  return async (argument: unknown): Promise<{ organizationId: string; userId: string }> => {
    const { organizationId, userId, commit } = await vault.createOrganization(readRequest(argument))
    if ((await store.commit(commit)) === 'conflict') throw new AdminError('the new id was taken; try again')
    return { organizationId, userId }
  }
}

function readRequest(argument: unknown): CreateOrganizationRequest {
  return {
    organizationName: textOf(argument, 'organizationName'),
    userName: textOf(argument, 'userName'),
    userEmail: undefined,
    apiKeyName: textOf(argument, 'apiKeyName'),
    apiPublicKey: textOf(argument, 'apiPublicKey'),
  }
}

function textOf(value: unknown, name: keyof CreateOrganizationRequest): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  if (typeof text !== 'string' || text.trim() === '') throw new AdminError(`${name} must be a text`)
  return text
}
