import { Button, Radio, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ErrorBox } from '../../components/states.tsx'
import { UnsavedGuard } from '../../components/unsaved_guard.tsx'
import { ExpressionField } from '../../editor/expression_field.tsx'
import type { Draft } from '../../state/draft.ts'
import { useTexts } from '../../texts/texts.tsx'
import { expressionKinds, isValid, trimmed } from './drafts.ts'
import { consensusLabel } from './policy_texts.tsx'
import { Simulation } from './simulation.tsx'
import { TemplatePanel } from './template_panel.tsx'

const nameCharactersMax = 256
const notesCharactersMax = 2_000
const effects = ['EFFECT_ALLOW', 'EFFECT_DENY'] as const

/** The form of a policy, with its simulation. `policyId` is that of the policy that is changed. */
export function PolicyForm({ first, policyId, isPending, error, onSave }: PolicyFormProps) {
  const { policies: texts } = useTexts()
  const [draft, setDraft] = useState(first)
  const [isAskedToMend, setIsAskedToMend] = useState(false)
  const set = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  const written = trimmed(draft)
  const isWrong = !isValid(written)
  const isUnsaved = JSON.stringify(written) !== JSON.stringify(trimmed(first))
  const isChanged = policyId === undefined || isUnsaved
  const hints = {
    consensus: texts.editor.consensusHint,
    condition: texts.editor.conditionHint,
    time: texts.editor.timeHint,
  }
  return (
    <>
      <UnsavedGuard isUnsaved={isUnsaved} />
      <form
        className="policy-form"
        onSubmit={(event) => {
          event.preventDefault()
          setIsAskedToMend(isWrong)
          if (!isWrong) onSave(written)
        }}
      >
        <div className="policy-form-head">
          <TextInput
            label={texts.policyName}
            value={draft.policyName}
            onChange={(event) => set({ policyName: event.currentTarget.value })}
            required
            maxLength={nameCharactersMax}
            autoComplete="off"
          />
          <Radio.Group
            label={texts.effect}
            value={draft.effect}
            onChange={(value) => set({ effect: effects.find((effect) => effect === value) ?? draft.effect })}
          >
            <div className="effect-choice">
              {effects.map((effect) => (
                <Radio key={effect} value={effect} label={texts.effects[effect]} />
              ))}
            </div>
          </Radio.Group>
          <p className="hint">{texts.effectHints[draft.effect]}</p>
        </div>
        {draft.effect === 'EFFECT_ALLOW' && <TemplatePanel draft={draft} onAdd={setDraft} />}
        {expressionKinds.map((kind) => (
          <ExpressionField
            key={kind}
            label={kind === 'consensus' ? consensusLabel(texts, draft.effect) : texts[kind]}
            hint={hints[kind]}
            rules={{ kind }}
            text={draft[kind]}
            onChange={(text) => setDraft((last) => ({ ...last, [kind]: text }))}
          />
        ))}
        <Textarea
          label={texts.notes}
          value={draft.notes}
          onChange={(event) => set({ notes: event.currentTarget.value })}
          maxLength={notesCharactersMax}
          autosize={false}
          rows={2}
        />
        <Warnings draft={written} />
        <Simulation draft={written} isWrong={isWrong} {...(policyId === undefined ? {} : { policyId })} />
        <div className="form-foot">
          {error !== null && <ErrorBox error={error} />}
          {isAskedToMend && isWrong && (
            <p className="form-problem" role="alert">
              {texts.mendFirst}
            </p>
          )}
          {!isChanged && <p className="hint">{texts.nothingChanged}</p>}
          <Button type="submit" loading={isPending} disabled={!isChanged}>
            {texts.save}
          </Button>
        </div>
      </form>
    </>
  )
}

/** A policy that allows more than its writer may think of. */
function Warnings({ draft: { effect, consensus, condition } }: { readonly draft: Draft }) {
  const { policies: texts } = useTexts()
  if (effect === 'EFFECT_DENY') return null
  return (
    <>
      {consensus === '' && <p className="banner banner-warning">{texts.allowsAnybody}</p>}
      {condition === '' && <p className="banner banner-warning">{texts.allowsEverything}</p>}
    </>
  )
}

type PolicyFormProps = {
  readonly first: Draft
  readonly policyId?: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onSave: (draft: Draft) => void
}
