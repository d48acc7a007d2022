import type { OpenMessageAnswer } from '../../link/verbs.ts'
import type { DueMessage } from '../store/store.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import { faultOf, type Outcome } from './carrier.ts'
import type { Hands } from './worker.ts'

type Opened = Extract<OpenMessageAnswer, { readonly kind: 'message' }>['message']

/** The vault does not open the message: it is too old, or it is not what the vault sealed. */
export type Unopened = { readonly kind: 'expired' } | { readonly kind: 'integrity'; readonly incident: string }

/**
 * Lets the vault open a message for one attempt to deliver it. The time of the attempt is that of `carry`: it begins once
 * the message is open. Never rejects.
 */
export async function attemptOnce(
  { vault, hands }: { readonly vault: Pick<VaultClient, 'openMessage'>; readonly hands: Pick<Hands, 'unlessStopped'> },
  { organizationId, messageId, sealed }: Pick<DueMessage, 'organizationId' | 'messageId' | 'sealed'>,
  carry: (message: Opened) => Promise<Outcome>,
): Promise<Outcome | Unopened> {
  try {
    const opened = await hands.unlessStopped(vault.openMessage({ organizationId, messageId, sealed }))
    return opened.kind === 'message' ? await carry(opened.message) : opened
  } catch (error) {
    if (error instanceof VaultUnavailable) return { kind: 'failed', reason: 'the vault is away' }
    return faultOf(error)
  }
}
