import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, oneOf, optional, PaginationOptions, Uuid } from '../../contract/fields/fields.ts'
import { checkPagination, pageOf } from '../../contract/fields/page_fields.ts'
import type { Need } from '../../contract/needs.ts'
import type { LookupName } from '../../contract/records/records.ts'
import { lookupAddress } from '../../protocol/chains/address_formats.ts'
import { idTokenCharactersMax, oidcIdentityKey, unverifiedSubject } from '../../protocol/tokens/id_tokens.ts'
import { base64urlOf, bytesFromBase64url } from '../../protocol/tools/base64url.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'

const filterCharactersMax = 512
const tokenFilter = 'OIDC_TOKEN'

/** The filters for sub-organizations, each with its lookup and the key for a value. */
const filters: Readonly<Record<string, { readonly lookup: LookupName; readonly keyOf: (value: string) => string }>> = {
  NAME: { lookup: 'organization_name', keyOf: (value) => value },
  USERNAME: { lookup: 'user_name', keyOf: (value) => value },
  EMAIL: { lookup: 'user_email', keyOf: mailboxOf },
  PHONE_NUMBER: { lookup: 'user_phone_number', keyOf: (value) => value },
  PUBLIC_KEY: { lookup: 'credential', keyOf: (value) => value.toLowerCase() },
  CREDENTIAL_ID: { lookup: 'authenticator', keyOf: credentialIdOf },
  WALLET_ACCOUNT_ADDRESS: { lookup: 'address', keyOf: lookupAddress },
  [tokenFilter]: { lookup: 'oidc_identity', keyOf: identityKeyOf },
}

export default defineQuery({
  name: 'list_suborgs',
  summary: 'Lists the ids of the sub-organizations: all of them, or those that match a filter.',
  parameters: fields({
    organizationId: Uuid,
    filterType: optional(oneOf(Object.keys(filters))),
    filterValue: optional(
      Type.String({
        minLength: 1,
        maxLength: idTokenCharactersMax,
        expected: `a text of 1 to ${filterCharactersMax} characters`,
      }),
    ),
    paginationOptions: optional(PaginationOptions),
  }),
  result: Type.Object({ organizationIds: Type.Array(Type.String()) }),
  check: ({ filterType, filterValue, paginationOptions }) => {
    checkPagination(paginationOptions)
    if ((filterType === undefined) !== (filterValue === undefined)) {
      const fieldPath = filterType === undefined ? 'filterType' : 'filterValue'
      throw fieldInvalid(fieldPath, 'present: a filter has a type and a value')
    }
    if (filterType !== tokenFilter && (filterValue?.length ?? 0) > filterCharactersMax) {
      const expected = `a text of 1 to ${filterCharactersMax} characters`
      throw fieldInvalid('filterValue', expected)
    }
  },
  // The token decides nothing here, but the caller may take the answer for a login, so it is verified.
  oidcTokens: ({ filterType, filterValue }) =>
    filterType === tokenFilter && filterValue !== undefined ? [{ token: filterValue, fieldPath: 'filterValue' }] : [],
  needs: ({ filterType, filterValue, paginationOptions }) => [
    needOf({ filterType, filterValue, page: pageOf(paginationOptions) }),
  ],

  run({ organization, parameters: { filterType } }) {
    if (filterType !== undefined) return { organizationIds: [...organization.holders()] }
    return { organizationIds: organization.subOrganizations.page().map(({ subOrganizationId }) => subOrganizationId) }
  },
})

/** The id of a passkey in the form of the records. Text that is no base64url is kept: no passkey has it. */
function credentialIdOf(text: string): string {
  const bytes = bytesFromBase64url(text)
  return bytes === undefined ? text : base64urlOf(bytes)
}

/** An unreadable token gets an empty key here. Its verification refuses it later. */
function identityKeyOf(token: string): string {
  const identity = unverifiedSubject(token)
  return identity === undefined ? '' : oidcIdentityKey(identity)
}

type Query = { readonly filterType: string | undefined; readonly filterValue: string | undefined }

function needOf({ filterType, filterValue, page }: Query & { readonly page: ReturnType<typeof pageOf> }): Need {
  const filter = filterType === undefined ? undefined : filters[filterType]
  if (filter === undefined || filterValue === undefined) return { need: 'page', kind: 'sub_organization', page }
  return { need: 'holders', lookup: filter.lookup, key: filter.keyOf(filterValue), page }
}
