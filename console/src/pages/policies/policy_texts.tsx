import { ExpressionText } from '../../editor/expression_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Texts } from '../../texts/types.ts'
import { type Effect, expressionKinds, type Policy } from './drafts.ts'

/** Shows the effect of a policy as a word with a mark. */
export function EffectMark({ effect }: { readonly effect: Effect }) {
  const { effects } = useTexts().policies
  return (
    <span className="effect" data-effect={effect}>
      {effects[effect]}
    </span>
  )
}

/** A denial needs nobody's approval: its consensus says whose approvals it is about. */
export function consensusLabel(texts: Texts['policies'], effect: string): string {
  return effect === 'EFFECT_DENY' ? texts.consensusOfDenial : texts.consensus
}

/** The expressions of a policy, each behind what it is about. An empty one says what it means. */
export function Expressions({
  policy,
}: {
  readonly policy: Pick<Policy, 'effect' | 'consensus' | 'condition' | 'time'>
}) {
  const { policies: texts } = useTexts()
  const labels = { ...texts, consensus: consensusLabel(texts, policy.effect) }
  const whenEmpty = {
    consensus: policy.effect === 'EFFECT_DENY' ? texts.anyone : texts.anybody,
    condition: texts.anything,
    time: texts.always,
  }
  return (
    <dl className="expressions">
      {expressionKinds.map((kind) => {
        const text = policy[kind] ?? ''
        return (
          <div key={kind}>
            <dt>{labels[kind]}</dt>
            <dd>
              {text === '' ? (
                <span className="hint">{whenEmpty[kind]}</span>
              ) : (
                <ExpressionText text={text} kind={kind} />
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
