import { useParams } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Organization, User } from '../users/organization.ts'
import { formatName } from '../wallets/chains.ts'

type Account = Queries['list_wallet_accounts']['result']['accounts'][number]

const accountsMax = '100'

/** Shows a sub-organization. Only its own users change it. */
export function SubOrganizationPage() {
  const { subOrganizationId } = useParams({ from: '/sub-organizations/$subOrganizationId' })
  const { subOrganizations: texts } = useTexts()
  const asked = useAsk('get_organization', {}, { organizationId: subOrganizationId })
  return (
    <Answer of={asked}>
      {({ organizationData }) => (
        <PageFrame
          title={organizationData.name}
          heading={<UserText text={organizationData.name} />}
          about={texts.readOnly}
          back={{ to: '/sub-organizations', label: texts.back }}
        >
          <Shown organization={organizationData} />
        </PageFrame>
      )}
    </Answer>
  )
}

function Shown({ organization }: { readonly organization: Organization }) {
  const { quorum, users: userTexts, overview, common } = useTexts()
  const { organizationId, rootQuorum, users, wallets, policies } = organization
  const columns: readonly Column<User>[] = [
    { key: 'name', label: common.name, show: ({ userName }) => <UserText text={userName} /> },
    {
      key: 'email',
      label: userTexts.email,
      show: ({ userEmail }) => (userEmail === undefined ? '–' : <UserText text={userEmail} />),
    },
    {
      key: 'credentials',
      label: userTexts.credentials,
      show: ({ authenticators }) => userTexts.passkeys(authenticators.length),
    },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'id', label: common.id, show: ({ userId }) => <Id id={userId} /> },
  ]
  return (
    <>
      <Facts
        facts={[
          [quorum.title, quorum.thresholdOf(rootQuorum.threshold, rootQuorum.userIds.length)],
          [overview.counts, [overview.wallets(wallets.length), overview.policies(policies.length)].join(', ')],
          [common.id, <Id key="id" id={organizationId} />],
        ]}
      />
      <Section title={userTexts.title}>
        <DataTable label={userTexts.title} columns={columns} rows={users} keyOf={({ userId }) => userId} />
      </Section>
      <Accounts organizationId={organizationId} />
    </>
  )
}

function Accounts({ organizationId }: { readonly organizationId: string }) {
  const { wallets: texts } = useTexts()
  const asked = useAsk(
    'list_wallet_accounts',
    { includeWalletDetails: true, paginationOptions: { limit: accountsMax } },
    { organizationId },
  )
  const columns: readonly Column<Account>[] = [
    {
      key: 'wallet',
      label: texts.title,
      show: ({ walletDetails, walletId }) => <UserText text={walletDetails?.walletName ?? walletId} />,
    },
    { key: 'address', label: texts.address, show: ({ address }) => <Id id={address} what={texts.address} /> },
    { key: 'format', label: texts.addressFormat, show: ({ addressFormat }) => formatName(addressFormat) },
    { key: 'path', label: texts.path, show: ({ path }) => <code>{path}</code> },
  ]
  return (
    <Section title={texts.accounts}>
      <Answer of={asked}>
        {({ accounts }) =>
          accounts.length === 0 ? (
            <Empty title={texts.noAccountsTitle} />
          ) : (
            <DataTable
              label={texts.accounts}
              columns={columns}
              rows={accounts}
              keyOf={({ walletAccountId }) => walletAccountId}
            />
          )
        }
      </Answer>
    </Section>
  )
}
