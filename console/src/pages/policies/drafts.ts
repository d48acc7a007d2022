import type { ExpressionKind } from '../../../../src/policy/language/names/keywords.ts'
import type { Activities, Queries } from '../../api/operations.ts'
import { problemIn } from '../../editor/expressions.ts'
import type { Draft } from '../../state/draft.ts'

export type Policy = Queries['get_policy']['result']['policy']
export type Effect = Policy['effect']

export const expressionKinds = ['consensus', 'condition', 'time'] as const satisfies readonly ExpressionKind[]

export const emptyDraft: Draft = {
  policyName: '',
  effect: 'EFFECT_ALLOW',
  consensus: '',
  condition: '',
  time: '',
  notes: '',
}

export function draftOf({ policyName, effect, consensus, condition, time = '', notes }: Policy): Draft {
  return { policyName, effect, consensus, condition, time, notes }
}

/** A draft without blanks around its texts, which mean nothing: an expression of blanks alone would be none. */
export function trimmed({ effect, ...texts }: Draft): Draft {
  const { policyName, consensus, condition, time, notes } = texts
  return {
    effect,
    policyName: policyName.trim(),
    consensus: consensus.trim(),
    condition: condition.trim(),
    time: time.trim(),
    notes,
  }
}

export function isValid(draft: Draft): boolean {
  return expressionKinds.every((kind) => problemIn(draft[kind], { kind }) === undefined)
}

type Update = Activities['update_policy']['parameters']

/** The fields of the policy that the draft changes. Undefined if it changes none. */
export function changesOf(policy: Policy, draft: Draft): Update | undefined {
  const before = draftOf(policy)
  const changes: Omit<Update, 'policyId'> = {
    ...(draft.policyName === before.policyName ? {} : { policyName: draft.policyName }),
    ...(draft.effect === before.effect ? {} : { policyEffect: draft.effect }),
    ...(draft.condition === before.condition ? {} : { policyCondition: draft.condition }),
    ...(draft.consensus === before.consensus ? {} : { policyConsensus: draft.consensus }),
    ...(draft.time === before.time ? {} : { time: draft.time }),
    ...(draft.notes === before.notes ? {} : { policyNotes: draft.notes }),
  }
  return Object.keys(changes).length === 0 ? undefined : { policyId: policy.policyId, ...changes }
}
