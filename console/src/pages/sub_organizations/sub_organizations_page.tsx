import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { SubOrganizationsIcon } from '../../components/icons.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Pager } from '../../components/pager.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'

const rowsMax = 50
const valueCharactersMax = 512
const filters = ['NAME', 'USERNAME', 'EMAIL', 'PHONE_NUMBER', 'PUBLIC_KEY', 'WALLET_ACCOUNT_ADDRESS'] as const
type Filter = { readonly filterType: (typeof filters)[number]; readonly filterValue: string }

export function SubOrganizationsPage() {
  const { subOrganizations: texts, common } = useTexts()
  const [filter, setFilter] = useState<Filter>()
  /** The last id of each page before this one. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1)
  const asked = useAsk('list_suborgs', {
    ...filter,
    paginationOptions: { limit: String(rowsMax), ...(after === undefined ? {} : { after }) },
  })
  const columns: readonly Column<string>[] = [
    {
      key: 'id',
      label: common.id,
      show: (subOrganizationId) => (
        <Link to="/sub-organizations/$subOrganizationId" params={{ subOrganizationId }} className="link">
          <code>{subOrganizationId}</code>
        </Link>
      ),
    },
  ]
  return (
    <PageFrame title={texts.title} about={texts.about}>
      <Search
        onSearch={(chosen) => {
          setFilter(chosen)
          setCursors([])
        }}
      />
      <Answer of={asked}>
        {({ organizationIds }) =>
          organizationIds.length === 0 ? (
            <Empty icon={<SubOrganizationsIcon size={28} />} title={texts.emptyTitle}>
              {filter === undefined ? texts.emptyText : texts.notFound}
            </Empty>
          ) : (
            <>
              <DataTable label={texts.title} columns={columns} rows={organizationIds} keyOf={(id) => id} />
              <Pager
                isFirst={after === undefined}
                isLast={organizationIds.length < rowsMax}
                onNewer={() => setCursors(cursors.slice(0, -1))}
                onOlder={() => setCursors([...cursors, organizationIds.at(-1) ?? ''])}
              />
            </>
          )
        }
      </Answer>
    </PageFrame>
  )
}

function Search({ onSearch }: { readonly onSearch: (filter: Filter | undefined) => void }) {
  const { subOrganizations: texts, common } = useTexts()
  const [filterType, setFilterType] = useState<Filter['filterType']>('NAME')
  const [typed, setTyped] = useState('')
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault()
        const filterValue = typed.trim()
        onSearch(filterValue === '' ? undefined : { filterType, filterValue })
      }}
    >
      <NativeSelect
        label={texts.by}
        value={filterType}
        onChange={(event) => setFilterType(filters.find((one) => one === event.currentTarget.value) ?? 'NAME')}
        data={filters.map((value) => ({ value, label: texts.filters[value] }))}
      />
      <TextInput
        label={texts.exact}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={valueCharactersMax}
        spellCheck={false}
        autoComplete="off"
      />
      <Group align="flex-end">
        <Button type="submit" variant="default">
          {common.search}
        </Button>
      </Group>
    </form>
  )
}
