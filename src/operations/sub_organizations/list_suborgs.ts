import Type from 'typebox'
import { lookupAddress } from '../../protocol/address_formats.ts'
import { Failure } from '../../protocol/failures.ts'
import { defineQuery } from '../define.ts'
import { fields, oneOf, optional, PaginationOptions, Uuid } from '../fields.ts'
import type { Need } from '../needs.ts'
import { checkPagination, pageOf } from '../pages.ts'
import type { LookupName } from '../records.ts'

const filterCharactersMax = 512

/** By what a sub-organization can be found, and how the value is looked up. */
const filters: Readonly<Record<string, { readonly lookup: LookupName; readonly keyOf: (value: string) => string }>> = {
  NAME: { lookup: 'organization_name', keyOf: (value) => value },
  USERNAME: { lookup: 'user_name', keyOf: (value) => value },
  EMAIL: { lookup: 'user_email', keyOf: (value) => value.toLowerCase() },
  PHONE_NUMBER: { lookup: 'user_phone_number', keyOf: (value) => value },
  PUBLIC_KEY: { lookup: 'credential', keyOf: (value) => value.toLowerCase() },
  WALLET_ACCOUNT_ADDRESS: { lookup: 'address', keyOf: lookupAddress },
}

export default defineQuery({
  name: 'list_suborgs',
  summary: 'The ids of the sub-organizations: all of them, or those that hold what the filter names.',
  parameters: fields({
    organizationId: Uuid,
    filterType: optional(oneOf(Object.keys(filters))),
    filterValue: optional(
      Type.String({
        minLength: 1,
        maxLength: filterCharactersMax,
        expected: `a text of 1 to ${filterCharactersMax} characters`,
      }),
    ),
    paginationOptions: optional(PaginationOptions),
  }),
  result: Type.Object({ organizationIds: Type.Array(Type.String()) }),
  check: ({ filterType, filterValue, paginationOptions }) => {
    checkPagination(paginationOptions)
    if ((filterType === undefined) === (filterValue === undefined)) return
    const fieldPath = filterType === undefined ? 'filterType' : 'filterValue'
    throw new Failure('FIELD_INVALID', { fieldPath, expected: 'present: a filter has a type and a value' })
  },
  reads: ({ filterType, filterValue, paginationOptions }) => [
    needOf({ filterType, filterValue, page: pageOf(paginationOptions) }),
  ],

  run({ organization, parameters: { filterType } }) {
    if (filterType !== undefined) return { organizationIds: [...organization.holders()] }
    return { organizationIds: organization.subOrganizations.page().map(({ subOrganizationId }) => subOrganizationId) }
  },
})

type Query = { readonly filterType: string | undefined; readonly filterValue: string | undefined }

function needOf({ filterType, filterValue, page }: Query & { readonly page: ReturnType<typeof pageOf> }): Need {
  const filter = filterType === undefined ? undefined : filters[filterType]
  if (filter === undefined || filterValue === undefined) return { need: 'page', kind: 'sub_organization', page }
  return { need: 'holders', lookup: filter.lookup, key: filter.keyOf(filterValue), page }
}
