import { newUser } from '../operations/new_users.ts'
import { createRootDraft } from './draft.ts'
import { createEvidence } from './evidence.ts'
import type { Means } from './means.ts'
import type { CreateOrganizationAnswer, CreateOrganizationRequest } from './verbs.ts'

/** A new root organization with one root user who has one API key. Always a fresh id: it can touch no other. */
export function createOrganization(
  { seals, nowMs, newId }: Means,
  request: CreateOrganizationRequest,
): CreateOrganizationAnswer {
  const evidence = createEvidence([])
  const createdAtMs = nowMs()
  const draft = createRootDraft({ seals, evidence, nowMs: createdAtMs, newId }, request.organizationName)
  const user = newUser(
    {
      userName: request.userName,
      userEmail: request.userEmail,
      apiKeys: [{ apiKeyName: request.apiKeyName, publicKey: request.apiPublicKey, curveType: 'API_KEY_CURVE_P256' }],
      userTags: [],
    },
    { fieldPath: 'user', nowMs: createdAtMs, newId },
  )
  draft.writer.users.add(user)
  draft.writer.setRootQuorum({ threshold: 1, userIds: [user.userId] })
  return {
    organizationId: draft.writer.organizationId,
    userId: user.userId,
    commit: { readSet: evidence.readSet(), ...draft.changes(), activities: [] },
  }
}
