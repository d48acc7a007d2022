import { Button, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { AddIcon, WebhookIcon } from '../../components/icons.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty, ErrorBox } from '../../components/states.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk, useSubmit } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'

export type Endpoint = Queries['list_webhook_endpoints']['result']['webhookEndpoints'][number]

const urlCharactersMax = 2_048

export function WebhooksPage() {
  const { webhooks: texts, common } = useTexts()
  const asked = useAsk('list_webhook_endpoints', {})
  const columns: readonly Column<Endpoint>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ endpointId, name }) => (
        <Link to="/webhooks/$endpointId" params={{ endpointId }} className="link">
          <UserText text={name} />
        </Link>
      ),
    },
    { key: 'url', label: texts.url, show: ({ url }) => <UserText text={url} /> },
    { key: 'state', label: texts.state, show: ({ isActive }) => (isActive ? texts.active : texts.paused) },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: ({ endpointId, name, isActive }) => (
        <span className="row-actions">
          <Pause endpointId={endpointId} isActive={isActive} />
          <DeleteByName
            operation="delete_webhook_endpoint"
            parameters={{ endpointId }}
            name={name}
            id={endpointId}
            what={texts.delete}
            isQuiet
          >
            <p>{texts.deleteWarning}</p>
          </DeleteByName>
        </span>
      ),
    },
  ]
  return (
    <PageFrame
      title={texts.title}
      about={texts.about}
      actions={
        <DialogButton label={texts.create} icon={<AddIcon size={16} />} isMain>
          {(close) => <NewEndpoint onClose={close} />}
        </DialogButton>
      }
    >
      <Answer of={asked}>
        {({ webhookEndpoints }) =>
          webhookEndpoints.length === 0 ? (
            <Empty icon={<WebhookIcon size={28} />} title={texts.emptyTitle}>
              {texts.emptyText}
            </Empty>
          ) : (
            <DataTable
              label={texts.title}
              columns={columns}
              rows={webhookEndpoints}
              keyOf={({ endpointId }) => endpointId}
            />
          )
        }
      </Answer>
    </PageFrame>
  )
}

function Pause({ endpointId, isActive }: Pick<Endpoint, 'endpointId' | 'isActive'>) {
  const { webhooks: texts } = useTexts()
  const update = useSubmit('update_webhook_endpoint')
  return (
    <>
      <Button
        variant="subtle"
        size="xs"
        onClick={() => update.mutate({ endpointId, isActive: !isActive })}
        loading={update.isPending}
      >
        {isActive ? texts.pause : texts.resume}
      </Button>
      {update.error !== null && <ErrorBox error={update.error} />}
    </>
  )
}

function NewEndpoint({ onClose }: { readonly onClose: () => void }) {
  const { webhooks: texts, common } = useTexts()
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  return (
    <SubmitDialog
      operation="create_webhook_endpoint"
      title={texts.create}
      action={common.create}
      parameters={{ name: name.trim(), url: url.trim() }}
      onClose={onClose}
    >
      <NameInput label={common.name} value={name} onChange={setName} />
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
        maxLength={urlCharactersMax}
        spellCheck={false}
        autoComplete="off"
      />
    </SubmitDialog>
  )
}
