import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Activities } from '../../api/operations.ts'
import { AddIcon } from '../../components/icons.tsx'
import { ErrorBox } from '../../components/states.tsx'
import { UnsavedGuard } from '../../components/unsaved_guard.tsx'
import { UserText } from '../../components/user_text.tsx'
import { ExpressionField } from '../../editor/expression_field.tsx'
import { problemIn } from '../../editor/expressions.ts'
import { useTexts } from '../../texts/texts.tsx'
import { keyOf, type Method, type MfaPolicy, methodsOf, methodText, type Owned, type Step } from './methods.ts'

const nameCharactersMax = 256
const notesCharactersMax = 2_000
const stepsMax = 10
const rules = { kind: 'condition', isStateless: true } as const

type Written = Omit<Activities['create_mfa_policy']['parameters'], 'userId'>

/** The form of an MFA policy of one user. */
export function MfaPolicyForm({ owned, policy, isPending, error, onSave }: MfaPolicyFormProps) {
  const { mfaPolicies: texts, policies } = useTexts()
  const [name, setName] = useState(policy?.mfaPolicyName ?? '')
  const [condition, setCondition] = useState(policy?.condition ?? '')
  const [order, setOrder] = useState(String(policy?.order ?? 0))
  const [notes, setNotes] = useState(policy?.notes ?? '')
  const [steps, setSteps] = useState<readonly Step[]>(policy?.requiredAuthenticationMethods ?? [{ any: [] }])
  const [isAsked, setIsAsked] = useState(false)
  const typed = JSON.stringify([name, condition, order, notes, steps])
  const [first] = useState(typed)
  const isOrder = /^-?\d{1,15}$/.test(order.trim())
  const isExpression = condition.trim() !== '' && problemIn(condition.trim(), rules) === undefined
  const hasMethods = steps.every(({ any }) => any.length > 0)
  const save = () => {
    setIsAsked(true)
    if (!isOrder || !isExpression || !hasMethods) return
    onSave({
      mfaPolicyName: name.trim(),
      condition: condition.trim(),
      requiredAuthenticationMethods: steps,
      order: Number(order),
      notes,
    })
  }
  return (
    <>
      <UnsavedGuard isUnsaved={typed !== first} />
      <form
        className="policy-form"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <div className="policy-form-head">
          <TextInput
            label={texts.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            maxLength={nameCharactersMax}
            autoComplete="off"
          />
          <TextInput
            label={texts.order}
            value={order}
            onChange={(event) => setOrder(event.currentTarget.value)}
            error={isOrder ? undefined : texts.orderWrong}
            inputMode="numeric"
            autoComplete="off"
          />
          <p className="hint">{texts.orderHint}</p>
        </div>
        <ExpressionField
          label={texts.when}
          hint={texts.whenHint}
          rules={rules}
          text={condition}
          onChange={setCondition}
        />
        <Steps owned={owned} steps={steps} onChange={setSteps} />
        <Textarea
          label={texts.notes}
          value={notes}
          onChange={(event) => setNotes(event.currentTarget.value)}
          maxLength={notesCharactersMax}
          rows={2}
        />
        <p className="banner banner-warning">{texts.lockout}</p>
        <div className="form-foot">
          {error !== null && <ErrorBox error={error} />}
          {isAsked && !isExpression && <Problem text={condition.trim() === '' ? texts.whenHint : policies.mendFirst} />}
          {isAsked && !hasMethods && <Problem text={texts.noMethod} />}
          <Button type="submit" loading={isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </>
  )
}

function Problem({ text }: { readonly text: string }) {
  return (
    <p className="form-problem" role="alert">
      {text}
    </p>
  )
}

type StepsProps = {
  readonly owned: Owned
  readonly steps: readonly Step[]
  readonly onChange: (steps: readonly Step[]) => void
}

function Steps({ owned, steps, onChange }: StepsProps) {
  const { mfaPolicies: texts } = useTexts()
  const replace = (index: number, step: Step) => onChange(steps.with(index, step))
  return (
    <div className="mfa-steps">
      <p className="expression-label">{texts.steps}</p>
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its number
        <fieldset key={index} className="mfa-step">
          <legend>{texts.step(index + 1)}</legend>
          <p className="hint">{texts.stepHint}</p>
          <Methods owned={owned} step={step} onChange={(changed) => replace(index, changed)} />
          {steps.length > 1 && (
            <Button
              variant="subtle"
              size="compact-xs"
              onClick={() => onChange(steps.toSpliced(index, 1))}
              aria-label={texts.removeStep(index + 1)}
            >
              {texts.removeStep(index + 1)}
            </Button>
          )}
        </fieldset>
      ))}
      {steps.length < stepsMax && (
        <Button
          variant="default"
          size="xs"
          leftSection={<AddIcon size={14} />}
          onClick={() => onChange([...steps, { any: [] }])}
        >
          {texts.addStep}
        </Button>
      )}
    </div>
  )
}

type MethodsProps = { readonly owned: Owned; readonly step: Step; readonly onChange: (step: Step) => void }

function Methods({ owned, step, onChange }: MethodsProps) {
  const { mfaPolicies: texts } = useTexts()
  const chosen = new Set(step.any.map(keyOf))
  const known = methodsOf(owned)
  // A step may name a credential that the user no longer has. It stays until it is taken out.
  const offered = [...known, ...step.any.filter((method) => !known.some((one) => keyOf(one) === keyOf(method)))]
  const toggle = (method: Method) =>
    chosen.has(keyOf(method)) ? step.any.filter((one) => keyOf(one) !== keyOf(method)) : [...step.any, method]
  return (
    <div className="mfa-methods">
      {offered.map((method) => (
        <Checkbox
          key={keyOf(method)}
          size="xs"
          checked={chosen.has(keyOf(method))}
          onChange={() => onChange({ any: toggle(method) })}
          label={<UserText text={methodText(method, owned, texts)} />}
        />
      ))}
    </div>
  )
}

type MfaPolicyFormProps = {
  readonly owned: Owned
  /** The policy to change. */
  readonly policy?: MfaPolicy
  readonly isPending: boolean
  readonly error: unknown
  readonly onSave: (written: Written) => void
}
