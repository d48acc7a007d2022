import type { Row } from '../../explanation/explanation.ts'
import { code, flag, list, listed, row, rowsOf, text, tree, wholeText } from '../../explanation/values.ts'
import type { WebhookEndpoint } from '../../records/records.ts'

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
