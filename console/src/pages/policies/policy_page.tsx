import { Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import './policies.css'
import { DeletePolicy } from './delete_policy.tsx'
import type { Policy } from './drafts.ts'
import { PolicyFindings } from './findings.tsx'
import { History } from './history.tsx'
import { EffectMark, Expressions } from './policy_texts.tsx'

const notesCharactersMax = 2_000

export function PolicyPage() {
  const { policyId } = useParams({ from: '/policies/$policyId' })
  const { policies: texts } = useTexts()
  const asked = useAsk('get_policy', { policyId })
  return (
    <Answer of={asked}>
      {({ policy }) => (
        <PageFrame
          title={policy.policyName}
          heading={<UserText text={policy.policyName} />}
          back={{ to: '/policies', label: texts.back }}
          actions={<Actions policy={policy} />}
        >
          <Content policy={policy} />
        </PageFrame>
      )}
    </Answer>
  )
}

function Actions({ policy }: { readonly policy: Policy }) {
  const { policies: texts } = useTexts()
  const { policyId } = policy
  return (
    <div className="page-buttons">
      <DeletePolicy policy={policy} />
      <Button component={Link} to={`/policies/${policyId}/edit`} size="xs">
        {texts.edit}
      </Button>
    </div>
  )
}

function Content({ policy }: { readonly policy: Policy }) {
  const { policies: texts, common } = useTexts()
  const { policyId, effect, notes, createdAt, updatedAt } = policy
  return (
    <>
      <div className="policy-rule">
        <EffectMark effect={effect} />
        <p className="hint">{texts.effectHints[effect]}</p>
        <Expressions policy={policy} />
        {notes !== '' && (
          <p className="policy-notes">
            <UserText text={notes} charactersMax={notesCharactersMax} hasLines />
          </p>
        )}
      </div>
      <Facts
        facts={[
          [common.created, <Time key="created" of={createdAt} />],
          [texts.updated, <Time key="updated" of={updatedAt} />],
          [common.id, <Id key="id" id={policyId} />],
        ]}
      />
      <PolicyFindings policy={policy} />
      <Section title={texts.history.title}>
        <History policyId={policyId} />
      </Section>
    </>
  )
}
