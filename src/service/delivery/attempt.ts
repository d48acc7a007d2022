import type { OpenMessageAnswer } from '../../link/verbs.ts'
import { type Read, readKey } from '../../protocol/reads.ts'
import type { DueMessage, Store } from '../store/store.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import { faultOf, type Outcome } from './carrier.ts'
import type { Hands } from './worker.ts'

type Opened = Extract<OpenMessageAnswer, { readonly kind: 'message' }>['message']

/** The vault does not open the message: it is too old, nobody wants it, or it is not what the vault sealed. */
export type Unopened = Exclude<OpenMessageAnswer, { readonly kind: 'message' | 'moreReads' }>

/** Calls of the vault for one message. Each answer `moreReads` costs one more. */
const roundsMax = 5

export type Opening = {
  readonly store: Pick<Store, 'find'>
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly hands: Pick<Hands, 'unlessStopped'>
}

/**
 * Lets the vault open a message, and reads what it asks for. Everything is read again, from one snapshot. The answer is
 * `moreReads` if the vault asked for more in each round, as where what the message rests on changes all the time.
 */
export async function openOnce(
  { store, vault, hands }: Opening,
  { organizationId, messageId, sealed }: Pick<DueMessage, 'organizationId' | 'messageId' | 'sealed'>,
): Promise<OpenMessageAnswer> {
  let reads: readonly Read[] = []
  for (let round = 1; round <= roundsMax; round += 1) {
    const found = reads.length === 0 ? [] : await store.find(reads)
    const presented = reads.flatMap((read, index) => {
      const one = found[index]
      return one === undefined ? [] : [{ read, found: one }]
    })
    const answer = await hands.unlessStopped(vault.openMessage({ organizationId, messageId, sealed, presented }))
    if (answer.kind !== 'moreReads') return answer
    reads = [...new Map([...reads, ...answer.reads].map((read) => [readKey(read), read])).values()]
  }
  return { kind: 'moreReads', reads }
}

/**
 * Lets the vault open a message for one attempt to deliver it. The time of the attempt is that of `carry`: it begins once
 * the message is open. Never rejects.
 */
export async function attemptOnce(
  opening: Opening,
  message: Pick<DueMessage, 'organizationId' | 'messageId' | 'sealed'>,
  carry: (message: Opened) => Promise<Outcome>,
): Promise<Outcome | Unopened> {
  try {
    const opened = await openOnce(opening, message)
    // The vault had no answer in time, which says nothing about the receiver.
    if (opened.kind === 'moreReads') return { kind: 'failed', reason: 'the vault is away' }
    return opened.kind === 'message' ? await carry(opened.message) : opened
  } catch (error) {
    if (error instanceof VaultUnavailable) return { kind: 'failed', reason: 'the vault is away' }
    return faultOf(error)
  }
}
