import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { Copy } from '../../components/copy.tsx'
import { Section } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { ExpressionText } from '../../editor/expression_text.tsx'
import { useConsole } from '../../state/console.ts'
import type { Draft } from '../../state/draft.ts'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { draftOf, type Policy } from './drafts.ts'

export type Check = Queries['check_policies']['result']
type Unseen = Check['denials'][number]['unseen'][number]
type NeverEqual = Check['neverEqual'][number]

/** The texts that never match, the gaps of denials, and what velocity controls alone allow. Nothing if there are none. */
export function AllFindings() {
  const { findings: texts } = useTexts().policies
  const { data } = useAsk('check_policies', {})
  const { denials = [], mfaPolicies = [], allowances = [], neverEqual = [] } = data ?? {}
  return (
    <>
      <NeverMatching found={neverEqual} />
      {denials.length > 0 && (
        <Section title={texts.titleAll}>
          <p className="hint">{texts.about}</p>
          <ul className="finding-list">
            {denials.map(({ policyId, policyName, unseen }) => (
              <li key={policyId}>
                <PolicyLink policyId={policyId} policyName={policyName} />: {texts.count(unseen.length)}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <BlindMfaPolicies found={mfaPolicies} />
      {allowances.length > 0 && (
        <Section title={texts.controlsTitle}>
          <ul className="finding-list">
            {allowances.map(({ policyId, policyName, controls }) => (
              <li key={policyId}>
                <PolicyLink policyId={policyId} policyName={policyName} />: {texts.controls(namesOf(controls))}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

/** The requests for which MFA policies ask for no step, each with the clause of a second one. */
function BlindMfaPolicies({ found }: { readonly found: Check['mfaPolicies'] }) {
  const { findings: texts } = useTexts().policies
  if (found.length === 0) return null
  return (
    <Section title={texts.mfaTitle}>
      <p className="hint">{texts.mfaAbout}</p>
      <ul className="finding-list">
        {found.map(({ mfaPolicyId, mfaPolicyName, unseen, behind = [] }) => (
          <li key={mfaPolicyId}>
            <UserText text={mfaPolicyName} />: {texts.count(unseen.length)}
            {behind.length > 0 && <p className="hint">{texts.mfaNever}</p>}
            <ul className="gaps">
              {unseen.map(({ alsoDenies: _, ...gap }) => (
                <li key={gap.clause}>
                  <Gap gap={gap} clauseText={texts.mfaClause} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Faults in policies, MFA policies and session profiles to be corrected before anything else. */
function NeverMatching({ found }: { readonly found: readonly NeverEqual[] }) {
  const { findings: texts } = useTexts().policies
  if (found.length === 0) return null
  return (
    <Section title={texts.neverTitle}>
      <p className="hint">{texts.neverAbout}</p>
      <ul className="finding-list">
        {found.map(({ of, id, name, expression, column, reason }) => (
          <li key={`${id} ${expression} ${column}`}>
            {of === 'policy' ? <PolicyLink policyId={id} policyName={name} /> : <UserText text={name} />}:{' '}
            {texts.neverAt(texts.neverIn[of], expression, column)} {reason}
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** The texts of one policy that never match, the gaps of one that denies, or that it allows by velocity controls alone. */
export function PolicyFindings({ policy }: { readonly policy: Policy }) {
  const { findings: texts } = useTexts().policies
  const check = useAsk('check_policies', {})
  const { policyId, effect } = policy
  const allowance = check.data?.allowances.find((one) => one.policyId === policyId)
  const never = check.data?.neverEqual.filter(({ of, id }) => of === 'policy' && id === policyId) ?? []
  if (never.length > 0) return <NeverMatching found={never} />
  if (allowance !== undefined) {
    return (
      <Section title={texts.controlsTitle}>
        <p className="finding">{texts.controls(namesOf(allowance.controls))}</p>
      </Section>
    )
  }
  if (effect === 'EFFECT_ALLOW') return null
  return (
    <Section title={texts.title}>
      <Answer of={check}>
        {({ denials }) => (
          <Gaps unseen={denials.find((one) => one.policyId === policyId)?.unseen ?? []} denial={draftOf(policy)} />
        )}
      </Answer>
    </Section>
  )
}

/**
 * The requests that a denial does not see, each with the clause of a second denial that closes the gap. `denial` is
 * absent while it is not saved: it would be lost if another was begun.
 */
export function Gaps({ unseen, denial }: { readonly unseen: readonly Unseen[]; readonly denial?: Draft }) {
  const { findings: texts } = useTexts().policies
  if (unseen.length === 0) return <p className="hint">{texts.none}</p>
  return (
    <>
      <p className="hint">{texts.about}</p>
      <ul className="gaps">
        {unseen.map((gap) => (
          <li key={gap.clause}>
            <Gap gap={gap} {...(denial === undefined ? {} : { denial })} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Gap({
  gap,
  denial,
  clauseText,
}: {
  readonly gap: Unseen
  readonly denial?: Draft
  readonly clauseText?: string
}) {
  const { findings: texts } = useTexts().policies
  const clauseTitle = clauseText ?? texts.clause
  const { preparedDraft } = useConsole()
  const navigate = useNavigate()
  const { requests, part, missingFields, clause, alsoDenies } = gap
  return (
    <article className="finding">
      <h3>{requests.charAt(0).toUpperCase() + requests.slice(1)}</h3>
      <p className="hint">
        {texts.lack(missingFields.join(', '))} {part !== undefined && texts.part(part)}{' '}
        {alsoDenies !== undefined && texts.alsoDenies(alsoDenies)}
      </p>
      <p className="finding-clause">
        <span className="hint">{clauseTitle}:</span>
        <span>
          <ExpressionText text={clause} kind="condition" />
          <Copy text={clause} what={clauseTitle} />
        </span>
      </p>
      {denial !== undefined && (
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            preparedDraft.set({ ...denial, policyName: '', condition: clause, notes: '' })
            void navigate({ to: '/policies/new' })
          }}
        >
          {texts.makeDenial}
        </Button>
      )}
    </article>
  )
}

function PolicyLink({ policyId, policyName }: { readonly policyId: string; readonly policyName: string }) {
  return (
    <Link to="/policies/$policyId" params={{ policyId }} className="link">
      <UserText text={policyName} />
    </Link>
  )
}

export function namesOf(controls: readonly string[]): string {
  return controls.map((identifier) => `controls.${identifier}`).join(', ')
}
