import { checkApiKeys, newUser } from '../operations/new_users.ts'
import { createRootDraft } from './draft.ts'
import { createEvidence } from './evidence.ts'
import type { Means } from './means.ts'
import type { CreateOrganizationAnswer, CreateOrganizationRequest } from './verbs.ts'

/** A new root organization with one root user who has one API key. Always a fresh id: it can touch no other. */
export function createOrganization(
  { seals, nowMs, newId, limits }: Means,
  request: CreateOrganizationRequest,
): CreateOrganizationAnswer {
  const evidence = createEvidence([])
  const createdAtMs = nowMs()
  const draft = createRootDraft({ seals, evidence, nowMs: createdAtMs, newId }, request.organizationName)
  const { userName, userEmail, apiKeyName, apiPublicKey: publicKey } = request
  const apiKeys = [{ apiKeyName, publicKey, curveType: 'API_KEY_CURVE_P256' }] as const
  checkApiKeys(apiKeys, 'apiKeys')
  const user = newUser({ userName, userEmail, apiKeys, userTags: [] }, { nowMs: createdAtMs, newId, limits })
  draft.writer.users.add(user)
  draft.writer.setRootQuorum({ threshold: 1, userIds: [user.userId] })
  return {
    organizationId: draft.writer.organizationId,
    userId: user.userId,
    commit: { readSet: evidence.readSet(), ...draft.changes(), activities: [], outbox: [] },
  }
}
