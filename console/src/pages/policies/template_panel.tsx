import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { choiceLabel } from '../../components/choice_label.ts'
import { useKnownNames } from '../../editor/known_names.ts'
import type { Draft } from '../../state/draft.ts'
import { useTexts } from '../../texts/texts.tsx'
import { expressionKinds } from './drafts.ts'
import { clausesOf, cronDays, type Template, type TemplateField, templates, withClauses } from './templates.ts'

const names = Object.keys(templates) as readonly Template[]

/** Adds the clauses of a template to a draft. */
export function TemplatePanel({ draft, onAdd }: { readonly draft: Draft; readonly onAdd: (draft: Draft) => void }) {
  const { templates: texts, mendFirst } = useTexts().policies
  const [template, setTemplate] = useState<Template>('approvals')
  const [values, setValues] = useState(firstValues)
  const [problem, setProblem] = useState<TemplateField | 'mend'>()
  const add = () => {
    const clauses = clausesOf(template, values)
    if ('wrong' in clauses) return setProblem(clauses.wrong)
    const changed = expressionKinds.map((kind) => [kind, withClauses(draft[kind], clauses[kind] ?? [])] as const)
    const unclear = changed.some(([, text]) => text === undefined)
    setProblem(unclear ? 'mend' : undefined)
    if (!unclear) onAdd({ ...draft, ...Object.fromEntries(changed) })
  }
  return (
    <details className="template-panel">
      <summary>{texts.title}</summary>
      <p className="hint">{texts.about}</p>
      <div className="template-fields">
        <NativeSelect
          label={texts.choose}
          value={template}
          data={names.map((value) => ({ value, label: texts.names[value] }))}
          onChange={(event) => {
            setTemplate(names.find((name) => name === event.currentTarget.value) ?? 'approvals')
            setProblem(undefined)
          }}
        />
        {templates[template].map((field) => (
          <Field
            key={field}
            field={field}
            value={values[field]}
            error={problem === field ? texts.wrong[field] : undefined}
            onChange={(value) => setValues({ ...values, [field]: value })}
          />
        ))}
      </div>
      <p className="hint">{texts.hints[template]}</p>
      {problem === 'mend' && <p className="form-problem">{mendFirst}</p>}
      <Button variant="default" size="xs" onClick={add}>
        {texts.add}
      </Button>
    </details>
  )
}

function firstValues(): Readonly<Record<TemplateField, string>> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return {
    count: '2',
    tag: '',
    ether: '1',
    chainId: '1',
    address: '',
    addresses: '',
    days: 'weekdays',
    from: '09:00',
    to: '17:00',
    zone,
  }
}

type FieldProps = {
  readonly field: TemplateField
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function Field({ field, value, error, onChange }: FieldProps) {
  const { templates: texts } = useTexts().policies
  const { userTags } = useKnownNames()
  const props = {
    label: texts[field],
    value,
    error,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
  }
  switch (field) {
    case 'tag':
      if (userTags.length === 0) return <p className="hint">{texts.noTags}</p>
      return (
        <NativeSelect
          {...props}
          data={[{ value: '', label: '–' }, ...userTags.map((tag) => ({ value: tag.id, label: choiceLabel(tag) }))]}
        />
      )
    case 'days': {
      const days = Object.keys(cronDays) as readonly (keyof typeof cronDays)[]
      return <NativeSelect {...props} data={days.map((day) => ({ value: day, label: texts[day] }))} />
    }
    case 'addresses':
      return <Textarea {...props} rows={3} className="template-wide" spellCheck={false} />
    case 'address':
      return <TextInput {...props} className="template-wide" autoComplete="off" spellCheck={false} />
    case 'from':
    case 'to':
      return <TextInput {...props} type="time" />
    case 'chainId':
      return (
        <TextInput {...props} label={`${texts.chainId} (${texts.chainHint})`} inputMode="numeric" autoComplete="off" />
      )
    case 'count':
    case 'ether':
      return <TextInput {...props} inputMode="decimal" autoComplete="off" />
    case 'zone':
      return <TextInput {...props} autoComplete="off" spellCheck={false} />
  }
}
