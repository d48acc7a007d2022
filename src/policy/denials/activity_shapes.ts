import { exposedParameters } from '../language/names/activity_types.ts'
import type { Shape } from './signing_requests.ts'

function activityFields(kind: string, deed: object): readonly string[] {
  const params = [...exposedParameters(kind).keys()].map((name) => `params.${name}`)
  return ['type', 'kind', ...Object.keys(deed), ...params].map((name) => `activity.${name}`)
}

/** `uncertain`: the fields of which it is not known what they hold. A clause does without them. */
export type Exports = {
  readonly name: string
  readonly shape: Shape
  readonly clause: string
  readonly uncertain: readonly string[]
}

/** The exports of keys, with what conditions see of them. Any account leaves with its wallet. */
export const exportRequests: readonly Exports[] = [
  exportsOf('exports of wallets', 'EXPORT_WALLET', {
    ...{ resource: 'WALLET', present: ['wallet', 'wallet_account'], uncertain: ['wallet_account'] },
  }),
  exportsOf('exports of accounts', 'EXPORT_WALLET_ACCOUNT', {
    ...{ resource: 'WALLET', present: ['wallet', 'wallet_account'] },
  }),
  exportsOf('exports of private keys', 'EXPORT_PRIVATE_KEY', { resource: 'PRIVATE_KEY', present: ['private_key'] }),
]

type Seen = { readonly resource: string; readonly present: readonly string[]; readonly uncertain?: readonly string[] }

function exportsOf(name: string, kind: string, { resource, present, uncertain = [] }: Seen): Exports {
  const deed = { resource, action: 'EXPORT' }
  const shape = {
    known: { activity: { type: `ACTIVITY_TYPE_${kind}`, kind, ...deed } },
    present: [...activityFields(kind, deed), ...present],
    ...{ hides: [], lacks: [], nothing: [], spends: false },
  }
  return { name, shape, clause: `activity.kind == '${kind}'`, uncertain }
}
