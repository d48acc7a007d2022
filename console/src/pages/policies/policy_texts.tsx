import { ExpressionText } from '../../editor/expression_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Effect, expressionKinds, type Policy } from './drafts.ts'

/** What a policy does, as a word with a mark. */
export function EffectMark({ effect }: { readonly effect: Effect }) {
  const { effects } = useTexts().policies
  return (
    <span className="effect" data-effect={effect}>
      {effects[effect]}
    </span>
  )
}

/** The expressions of a policy, each behind what it is about. An empty one says what it means. */
export function Expressions({ policy }: { readonly policy: Pick<Policy, 'consensus' | 'condition' | 'time'> }) {
  const { policies: texts } = useTexts()
  const whenEmpty = { consensus: texts.anybody, condition: texts.anything, time: texts.always }
  return (
    <dl className="expressions">
      {expressionKinds.map((kind) => {
        const text = policy[kind] ?? ''
        return (
          <div key={kind}>
            <dt>{texts[kind]}</dt>
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
