import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { AddIcon, MfaIcon } from '../../components/icons.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { ExpressionText } from '../../editor/expression_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import '../policies/policies.css'
import { DeleteMfaPolicy } from './delete_mfa_policy.tsx'
import { type MfaPolicy, methodText, type Owned } from './methods.ts'

const notesCharactersMax = 300

/** The MFA policies of every user, in the order in which they are asked. */
export function MfaPoliciesPage() {
  const { mfaPolicies: texts } = useTexts()
  const organization = useAsk('get_organization', {})
  const profiles = useAsk('get_session_profiles', {})
  const create = (
    <Button component={Link} to="/mfa-policies/new" leftSection={<AddIcon size={16} />}>
      {texts.create}
    </Button>
  )
  return (
    <PageFrame title={texts.title} about={texts.about} actions={create}>
      <Answer of={organization}>
        {({ organizationData: { users } }) => {
          const rows = users.flatMap((user) =>
            user.mfaPolicies
              .toSorted((one, other) => one.order - other.order)
              .map((policy) => ({ user, policy, profiles: profiles.data?.sessionProfiles ?? [] })),
          )
          if (rows.length === 0) {
            return (
              <Empty icon={<MfaIcon size={28} />} title={texts.emptyTitle}>
                {texts.emptyText}
              </Empty>
            )
          }
          return (
            <ul className="policy-list">
              {rows.map(({ policy, ...owned }) => (
                <li key={policy.mfaPolicyId}>
                  <Row policy={policy} owned={owned} />
                </li>
              ))}
            </ul>
          )
        }}
      </Answer>
    </PageFrame>
  )
}

function Row({ policy, owned }: { readonly policy: MfaPolicy; readonly owned: Owned }) {
  const { mfaPolicies: texts } = useTexts()
  const { mfaPolicyId, mfaPolicyName, condition, notes = '', order, requiredAuthenticationMethods: steps } = policy
  const { userId, userName } = owned.user
  return (
    <article className="policy-row">
      <div className="policy-row-head">
        <h2>
          <Link to="/mfa-policies/$userId/$mfaPolicyId" params={{ userId, mfaPolicyId }} className="link">
            <UserText text={mfaPolicyName} />
          </Link>
        </h2>
        <p className="hint">
          {texts.user}: <UserText text={userName} /> · {texts.order}: {order}
        </p>
        {notes !== '' && (
          <p className="policy-notes">
            <UserText text={notes} charactersMax={notesCharactersMax} hasLines />
          </p>
        )}
        <DeleteMfaPolicy userId={userId} policy={policy} />
      </div>
      <dl className="expressions">
        <div>
          <dt>{texts.when}</dt>
          <dd>
            <ExpressionText text={condition} kind="condition" />
          </dd>
        </div>
        {steps.map(({ any }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its number
          <div key={index}>
            <dt>{texts.step(index + 1)}</dt>
            <dd>
              <UserText
                text={any.map((method) => methodText(method, owned, texts)).join(texts.or)}
                charactersMax={2_000}
              />
            </dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
