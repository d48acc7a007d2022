import { changesContent } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Row, Value } from '../../../contract/explanation/explanation.ts'
import {
  code,
  duration,
  hex,
  list,
  listed,
  number,
  row,
  rowsOf,
  text,
  tree,
} from '../../../contract/explanation/shown_values.ts'
import { passkeyValues } from '../../../contract/explanation/stated_credentials.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { GivenOauthProvider } from '../../oauth_providers/shared/new_oauth_providers.ts'
import { newProviderValue } from '../../oauth_providers/shared/provider_values.ts'
import type { GivenUser } from '../../users/shared/new_users.ts'

type RootUser = Omit<GivenUser, 'userTags'> & { readonly oauthProviders: readonly GivenOauthProvider[] }
type Account = { readonly path: string; readonly addressFormat: string; readonly name?: string }

type NewSubOrganization = {
  readonly subOrganizationName: string
  readonly rootUsers: readonly RootUser[]
  readonly rootQuorumThreshold: number
  readonly wallet?: { readonly walletName: string; readonly accounts: readonly Account[] }
  /** The names of the features that the new organization has switched off. */
  readonly switchedOff: readonly string[]
}

/** Explains a new sub-organization: its root users with their credentials, and how many of them decide. */
export function* explainNewSubOrganization(given: NewSubOrganization, now: Now): Steps<Content> {
  const { subOrganizationName, rootUsers, rootQuorumThreshold, wallet, switchedOff } = given
  const users: Row[] = []
  for (const user of rootUsers) {
    yield // To read a passkey takes a tenth of a millisecond.
    users.push(row('rootUser', rootUserValue(user)))
  }
  return yield* changesContent(now, {
    code: 'create_sub_organization',
    subject: [text(subOrganizationName)],
    rows: [
      row('name', text(subOrganizationName)),
      row('threshold', number(rootQuorumThreshold)),
      row('rootUsersCount', number(rootUsers.length)),
      ...users,
      ...rowsOf({
        wallet:
          wallet && tree({ name: text(wallet.walletName), accounts: list(listed(wallet.accounts, newAccountValue)) }),
        switchedOff: switchedOff.length === 0 ? undefined : list(listed(switchedOff, code)),
      }),
    ],
  })
}

function rootUserValue(user: RootUser): Value {
  const { userName, userEmail, userPhoneNumber, apiKeys, authenticators = [], oauthProviders } = user
  const keys = listed(apiKeys, ({ apiKeyName, publicKey, expirationSeconds }) =>
    tree({
      name: text(apiKeyName),
      publicKey: hex(publicKey),
      expirationSeconds: expirationSeconds === undefined ? undefined : duration(expirationSeconds),
    }),
  )
  return tree({
    userName: text(userName),
    userEmail: userEmail === undefined ? undefined : text(userEmail),
    userPhoneNumber: userPhoneNumber === undefined ? undefined : text(userPhoneNumber),
    apiKeys: list(keys),
    authenticators: list(
      listed(authenticators, (one) => tree({ name: text(one.authenticatorName), ...passkeyValues(one) })),
    ),
    oauthProviders: list(listed(oauthProviders, newProviderValue)),
  })
}

function newAccountValue({ path, addressFormat, name }: Account): Value {
  return tree({
    name: name === undefined ? undefined : text(name),
    path: text(path),
    addressFormat: code(addressFormat),
  })
}
