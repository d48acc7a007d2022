import type { Note, Row } from '../../../contract/explanation/explanation.ts'
import {
  code,
  flag,
  list,
  listed,
  noteOf,
  row,
  rowsOf,
  text,
  tree,
  wholeText,
} from '../../../contract/explanation/shown_values.ts'
import type { WebhookEndpoint } from '../../../contract/records/records.ts'

type Endpoint = Pick<WebhookEndpoint, 'name' | 'url' | 'subscriptions'> & { readonly isActive?: boolean }

/** Shows an endpoint: its name, its address, and the events that it gets. */
export function endpointRows({ name, url, isActive, subscriptions }: Endpoint): readonly Row[] {
  return [
    ...rowsOf({ name: text(name), url: wholeText(url), isActive: isActive === undefined ? undefined : flag(isActive) }),
    row(
      'events',
      list(
        listed(subscriptions, ({ eventType, isActive: isOn }) =>
          isOn === false ? tree({ eventType: code(eventType), isActive: flag(false) }) : code(eventType),
        ),
      ),
    ),
  ]
}

/**
 * Warns of an address that gets the activities from then on, and got none of them before, and of one that gets none any
 * more: somebody may watch there. Undefined is an endpoint that is not there.
 */
export function sentToWarnings(before: Sending | undefined, after: Sending | undefined): readonly Note[] {
  const [from, to] = [sentTo(before), sentTo(after)]
  if (from === to) return []
  return [
    ...(to === undefined ? [] : [noteOf('sentTo', wholeText(to))]),
    ...(from === undefined ? [] : [noteOf('sentNoMore', wholeText(from))]),
  ]
}

function sentTo(endpoint: Sending | undefined): string | undefined {
  return endpoint !== undefined && isSent(endpoint) ? endpoint.url : undefined
}

type Sending = Omit<Endpoint, 'name'>

function isSent({ isActive, subscriptions }: Sending): boolean {
  return isActive !== false && subscriptions.some((each) => each.isActive !== false)
}
