import type { CreateOrganizationAnswer, CreateOrganizationRequest } from '../../link/verbs.ts'
import { checkApiKeys, newUser } from '../../operations/users/shared/new_users.ts'
import { createRootDraft } from '../state/draft/draft.ts'
import { createEvidence } from '../state/evidence.ts'
import { lineages } from '../state/head.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { factsOf } from './logged_facts.ts'
import { requireWritable } from './release.ts'

/** Makes a root organization with one root user who has one API key. Its id is fresh, so it touches no other one. */
export async function createOrganization(
  services: VaultServices,
  request: CreateOrganizationRequest,
): Promise<CreateOrganizationAnswer> {
  const { seals, nowMs, newId, limits, books, heldDecisions } = services
  requireWritable(books)
  const evidence = createEvidence([])
  const createdAtMs = nowMs()
  const pause = () => undefined
  const tools = {
    seals,
    evidence,
    nowMs: createdAtMs,
    limits,
    newId,
    lineageOf: lineages(services),
    pause,
  }
  const draft = createRootDraft(tools, request.organizationName)
  const { userName, userEmail, apiKeyName, apiPublicKey: publicKey } = request
  const apiKeys = [{ apiKeyName, publicKey, curveType: 'API_KEY_CURVE_P256' }] as const
  await checkApiKeys(apiKeys, { fieldPath: 'apiKeys', pause })
  const user = newUser(
    { userName, userEmail, apiKeys, userTags: [] },
    { nowMs: createdAtMs, newId, claimedAtMs: undefined, limits },
  )
  draft.writer.users.add(user)
  draft.writer.setRootQuorum({ threshold: 1, userIds: [user.userId] })
  const { made, additions: _, documented, ...written } = await draft.changes()
  const commit = { readSet: evidence.readSet(), ...written, activities: [], outbox: [] }
  const entered = factsOf({ commit, made, act: { act: 'make_organization', changes: documented } }, createdAtMs)
  await books.release({ heads: [], seen: new Map(), counts: [], ...entered, shown: [] })
  return {
    organizationId: draft.writer.organizationId,
    userId: user.userId,
    commit,
    decisionId: heldDecisions.hold({ status: 200, body: new Uint8Array(), made }),
  }
}
