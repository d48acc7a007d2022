import { hash } from 'node:crypto'
import type { Activity, Vote } from '../../../contract/records/activity.ts'
import { messageOf, submissionOf } from '../../../deciding/organization/submitted.ts'
import {
  type AppProof,
  type AppProofPayload,
  appProofPublicKey,
  signAppProof,
} from '../../../protocol/tvc/app_proof.ts'
import type { Reading } from '../../caller/request_context.ts'
import { p256Secret } from '../../keys/published_keys.ts'
import type { Organization } from '../../state/organization.ts'
import type { Listener } from './listener.ts'

/** Makes the app proofs of an activity that runs, if one of its voters asks for them and its operation makes any. */
export const appProofs: Listener = (context, { target }, { move, voted, approvals }) => {
  if (move !== 'runs' || !voted.votes.map(messageOf).some(asksForAppProofs)) return () => ({})
  const parent = target.parent()
  return async ({ activity, provenAddresses = 'none' }) => {
    if (provenAddresses === 'none') return {}
    const timestampMs = String(context.nowMs)
    const payloads: readonly AppProofPayload[] =
      provenAddresses.length === 0
        ? [policyOutcome(context, activity, { target, parent, approvals })]
        : provenAddresses.map((addressDerivationProof) => ({
            type: 'APP_PROOF_TYPE_ADDRESS_DERIVATION',
            timestampMs,
            addressDerivationProof,
          }))
    return { appProofs: await signAll(context, payloads) }
  }
}

/** Whether a request asks for app proofs. Clients put the flag beside the parameters or among them. */
function asksForAppProofs({ generateAppProofs, parameters }: ReturnType<typeof messageOf>): boolean {
  return generateAppProofs === true || parameters.generateAppProofs === true
}

type Decision = {
  readonly target: Organization
  readonly parent: Organization | undefined
  /** The approvals that were counted. */
  readonly approvals: readonly Vote[]
}

/** Returns the proof of the decision. With docs/app_proofs.md, anybody can compute each digest again. */
function policyOutcome(
  context: Reading,
  { activityId, organizationId, type, fingerprint, votes }: Activity,
  { target, parent, approvals }: Decision,
): AppProofPayload {
  const { userId: submitterId } = submissionOf({ activityId, votes })
  const approverIds = approvals.map(({ userId }) => userId)
  const decisionContext = { activityId, organizationId, type, fingerprint, submitterId, approverIds }
  return {
    type: 'APP_PROOF_TYPE_POLICY_OUTCOME',
    timestampMs: String(context.nowMs),
    policyOutcomeProof: {
      organizationId,
      outcome: 'OUTCOME_ALLOW',
      decisionContextDigest: sha256Hex(JSON.stringify(decisionContext)),
      organizationDataDigest: headDigest(context, target),
      parentOrganizationDataDigest: parent === undefined ? '' : headDigest(context, parent),
      userRequestApprovals: approvals.map(({ scheme, publicKey, message, signature }) => ({
        scheme,
        publicKey,
        message,
        signature,
      })),
    },
  }
}

/** The digest names the one sealed head on which the decision rested, and so every record that the head lists. */
function headDigest({ evidence }: Reading, { head: { organizationId, version } }: Organization): string {
  const { row } = evidence.find({ read: 'headTag', organizationId })
  if (row === undefined) throw new Error('an organization that is open has a head')
  return sha256Hex(`${organizationId} ${version} ${row.tag}`)
}

async function signAll(
  { services: { seals }, pause }: Reading,
  payloads: readonly AppProofPayload[],
): Promise<readonly AppProof[]> {
  using signingSecret = p256Secret(seals, 'appProofSigning')
  using encryptionSecret = p256Secret(seals, 'appProofEncryption')
  const publicKey = appProofPublicKey({ signingSecret, encryptionSecret })
  const proofs: AppProof[] = []
  for (const payload of payloads) {
    if (proofs.length > 0) await pause()
    proofs.push(signAppProof({ signingSecret, publicKey, payload }))
  }
  return proofs
}

function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}
