import { Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { pollMs } from '../../api/live.ts'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer, Empty, ErrorBox } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk, useSubmit } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'

type Delivery = Queries['list_webhook_deliveries']['result']['deliveries'][number]

const deliveriesMax = '50'

/** An endpoint with the events that could not be delivered, and those that wait. Delivered ones are not kept. */
export function EndpointPage() {
  const { endpointId } = useParams({ from: '/webhooks/$endpointId' })
  const { webhooks: texts, common } = useTexts()
  const asked = useAsk('list_webhook_endpoints', {})
  return (
    <Answer of={asked}>
      {({ webhookEndpoints }) => {
        const endpoint = webhookEndpoints.find((one) => one.endpointId === endpointId)
        if (endpoint === undefined) return <Empty title={texts.notThere} />
        const { name, url, isActive } = endpoint
        return (
          <PageFrame title={name} heading={<UserText text={name} />} back={{ to: '/webhooks', label: texts.back }}>
            <Facts
              facts={[
                [texts.url, <UserText key="url" text={url} />],
                [texts.state, isActive ? texts.active : texts.paused],
                [common.id, <Id key="id" id={endpointId} />],
              ]}
            />
            <Deliveries endpointId={endpointId} status="WEBHOOK_DELIVERY_STATUS_FAILED" />
            <Deliveries endpointId={endpointId} status="WEBHOOK_DELIVERY_STATUS_WAITING" />
          </PageFrame>
        )
      }}
    </Answer>
  )
}

type DeliveriesProps = { readonly endpointId: string; readonly status: Delivery['status'] }

function Deliveries({ endpointId, status }: DeliveriesProps) {
  const { webhooks: texts, common } = useTexts()
  const asked = useAsk(
    'list_webhook_deliveries',
    { endpointId, status, paginationOptions: { limit: deliveriesMax } },
    { pollEveryMs: pollMs },
  )
  const hasFailed = status === 'WEBHOOK_DELIVERY_STATUS_FAILED'
  const columns: readonly Column<Delivery>[] = [
    {
      key: 'activity',
      label: texts.activity,
      show: ({ activityId }) => (
        <Link to="/activities/$activityId" params={{ activityId }} className="link">
          {activityId.slice(0, 8)}…{activityId.slice(-4)}
        </Link>
      ),
    },
    { key: 'attempts', label: texts.attempts, show: ({ attempts }) => attempts },
    {
      key: 'reason',
      label: texts.reason,
      show: ({ reason }) => (reason === undefined ? '–' : <UserText text={reason} />),
    },
    {
      key: 'time',
      label: hasFailed ? texts.failedAt : texts.nextAttempt,
      show: ({ failedAt, nextAttemptAt }) => {
        const at = failedAt ?? nextAttemptAt
        return at === undefined ? texts.now : <Time of={at} />
      },
    },
    { key: 'until', label: texts.keptUntil, show: ({ expiresAt }) => <Time of={expiresAt} /> },
    ...(hasFailed
      ? [
          {
            key: 'actions',
            label: common.actions,
            align: 'end',
            show: ({ deliveryId }: Delivery) => <Replay endpointId={endpointId} deliveryId={deliveryId} />,
          } as const,
        ]
      : []),
  ]
  return (
    <Section title={texts.statuses[status]}>
      <Answer of={asked}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p className="hint">{texts.none[status]}</p>
          ) : (
            <DataTable
              label={texts.statuses[status]}
              columns={columns}
              rows={deliveries}
              keyOf={({ deliveryId }) => deliveryId}
            />
          )
        }
      </Answer>
    </Section>
  )
}

function Replay({ endpointId, deliveryId }: Pick<Delivery, 'endpointId' | 'deliveryId'>) {
  const { webhooks: texts } = useTexts()
  const replay = useSubmit('replay_webhook_delivery')
  return (
    <>
      <Button
        variant="subtle"
        size="xs"
        onClick={() => replay.mutate({ endpointId, deliveryId })}
        loading={replay.isPending}
      >
        {texts.replay}
      </Button>
      {replay.error !== null && <ErrorBox error={replay.error} />}
    </>
  )
}
