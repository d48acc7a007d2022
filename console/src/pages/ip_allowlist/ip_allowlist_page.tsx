import { type Column, DataTable } from '../../components/data_table.tsx'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { AllowlistIcon } from '../../components/icons.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Allowlist, EditAllowlist } from './edit_allowlist.tsx'

type Rule = Allowlist['rules'][number]

export function IpAllowlistPage() {
  const { allowlist: texts } = useTexts()
  const asked = useAsk('get_ip_allowlist', {})
  const allowlist = asked.data?.allowlist
  return (
    <PageFrame
      title={texts.title}
      about={texts.about}
      actions={
        allowlist !== undefined && (
          <DialogButton label={texts.edit} icon={<AllowlistIcon size={16} />} isMain>
            {(close) => <EditAllowlist allowlist={allowlist} onClose={close} />}
          </DialogButton>
        )
      }
    >
      <Answer of={asked}>{({ allowlist: shown }) => <Shown allowlist={shown} />}</Answer>
    </PageFrame>
  )
}

function Shown({ allowlist: { rules, enabled, onEvaluationError } }: { readonly allowlist: Allowlist }) {
  const { allowlist: texts, common } = useTexts()
  const { organizationId, organizationName } = useSession()
  const columns: readonly Column<Rule>[] = [
    { key: 'range', label: texts.range, show: ({ cidr }) => <code>{cidr}</code> },
    {
      key: 'label',
      label: common.name,
      show: ({ label }) => (label === undefined ? '–' : <UserText text={label} />),
    },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={Number(createdAt)} /> },
  ]
  if (rules.length === 0 && enabled !== true) {
    return (
      <Empty icon={<AllowlistIcon size={28} />} title={texts.emptyTitle}>
        {texts.emptyText}
      </Empty>
    )
  }
  return (
    <>
      <Facts
        facts={[
          [texts.enforced, enabled === true ? texts.yes : texts.no],
          [texts.unknownAddress, onEvaluationError === 'ALLOW' ? texts.letIn : texts.refused],
        ]}
      />
      <Section
        title={texts.ranges}
        aside={
          <DeleteByName
            operation="remove_ip_allowlist"
            parameters={{}}
            name={organizationName}
            id={organizationId}
            what={texts.remove}
          >
            <p>{texts.removeWarning}</p>
          </DeleteByName>
        }
      >
        <DataTable label={texts.ranges} columns={columns} rows={rules} keyOf={({ cidr }) => cidr} />
      </Section>
    </>
  )
}
