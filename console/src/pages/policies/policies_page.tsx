import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { AddIcon, PoliciesIcon } from '../../components/icons.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Policy } from './drafts.ts'
import { AllFindings } from './findings.tsx'
import './policies.css'
import { EffectMark, Expressions } from './policy_texts.tsx'

const notesCharactersMax = 300

export function PoliciesPage() {
  const { policies: texts } = useTexts()
  const policies = useAsk('list_policies', {})
  const create = (
    <Button component={Link} to="/policies/new" leftSection={<AddIcon size={16} />}>
      {texts.create}
    </Button>
  )
  return (
    <PageFrame title={texts.title} about={texts.about} actions={create}>
      <Answer of={policies}>
        {({ policies: rows }) =>
          rows.length === 0 ? (
            <Empty icon={<PoliciesIcon size={28} />} title={texts.emptyTitle}>
              {texts.emptyText}
            </Empty>
          ) : (
            <>
              <ul className="policy-list">
                {rows.map((policy) => (
                  <li key={policy.policyId}>
                    <Row policy={policy} />
                  </li>
                ))}
              </ul>
              <AllFindings />
            </>
          )
        }
      </Answer>
    </PageFrame>
  )
}

function Row({ policy }: { readonly policy: Policy }) {
  const { policyId, policyName, effect, notes } = policy
  return (
    <article className="policy-row">
      <div className="policy-row-head">
        <h2>
          <Link to="/policies/$policyId" params={{ policyId }} className="link">
            <UserText text={policyName} />
          </Link>
        </h2>
        <EffectMark effect={effect} />
        {notes !== '' && (
          <p className="policy-notes">
            <UserText text={notes} charactersMax={notesCharactersMax} hasLines />
          </p>
        )}
      </div>
      <Expressions policy={policy} />
    </article>
  )
}
