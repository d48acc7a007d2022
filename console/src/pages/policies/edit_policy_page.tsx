import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { visibleText } from '../../../../src/protocol/tools/visible_text.ts'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { useConsole } from '../../state/console.ts'
import { useAsk, useSubmit } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import './policies.css'
import type { Draft } from '../../state/draft.ts'
import { changesOf, draftOf, emptyDraft, expressionKinds, type Policy } from './drafts.ts'
import { PolicyForm } from './policy_form.tsx'

export function NewPolicyPage() {
  const { policies: texts } = useTexts()
  const { preparedDraft } = useConsole()
  const [first] = useState(() => preparedDraft.get() ?? emptyDraft)
  useEffect(() => preparedDraft.set(undefined), [preparedDraft])
  const navigate = useNavigate()
  const create = useSubmit('create_policy', {
    onDone: ({ result }) => {
      const to = result === undefined ? '/policies' : `/policies/${result.policyId}`
      void navigate({ to, ignoreBlocker: true })
    },
  })
  return (
    <PageFrame title={texts.create} back={{ to: '/policies', label: texts.back }}>
      <PolicyForm
        first={first}
        isPending={create.isPending}
        error={create.error}
        onSave={(draft) => create.mutate(parametersOf(draft))}
      />
    </PageFrame>
  )
}

export function EditPolicyPage() {
  const { policyId } = useParams({ from: '/policies/$policyId/edit' })
  const asked = useAsk('get_policy', { policyId })
  return <Answer of={asked}>{({ policy }) => <EditPolicy key={policyId} policy={policy} />}</Answer>
}

/** The policy is that of the moment at which the page was opened. */
function EditPolicy({ policy: current }: { readonly policy: Policy }) {
  const { policies: texts } = useTexts()
  const [policy] = useState(current)
  const navigate = useNavigate()
  const to = `/policies/${policy.policyId}`
  const update = useSubmit('update_policy', { onDone: () => void navigate({ to, ignoreBlocker: true }) })
  return (
    <PageFrame title={texts.editTitle} back={{ to, label: visibleText(policy.policyName).text }}>
      <PolicyForm
        first={draftOf(policy)}
        policyId={policy.policyId}
        isPending={update.isPending}
        error={update.error}
        onSave={(draft) => {
          const changes = changesOf(policy, draft)
          if (changes !== undefined) update.mutate(changes)
        }}
      />
    </PageFrame>
  )
}

function parametersOf({ policyName, effect, notes, ...texts }: Draft) {
  const written = expressionKinds.filter((kind) => texts[kind] !== '').map((kind) => [kind, texts[kind]])
  return { policyName, effect, notes, ...Object.fromEntries(written) }
}
