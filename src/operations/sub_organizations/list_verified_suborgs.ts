import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, oneOf, optional, PaginationOptions, Uuid } from '../../contract/fields/fields.ts'
import { checkPagination, pageOf } from '../../contract/fields/page_fields.ts'
import { anyVerifiedContact } from '../../contract/records/records.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { verifiedContactLookup } from '../sessions/shared/verification_tokens.ts'

const filterTypes = ['EMAIL', 'PHONE_NUMBER'] as const

export default defineQuery({
  name: 'list_verified_suborgs',
  summary:
    'Lists the ids of the sub-organizations that have a user with a verified e-mail address or phone number: all of them, or those with the one in the filter.',
  parameters: fields({
    organizationId: Uuid,
    filterType: optional(oneOf(filterTypes)),
    filterValue: optional(Type.String({ minLength: 1, maxLength: 512, expected: 'a text of 1 to 512 characters' })),
    paginationOptions: optional(PaginationOptions),
  }),
  result: Type.Object({ organizationIds: Type.Array(Type.String()) }),
  check: ({ filterType, filterValue, paginationOptions }) => {
    checkPagination(paginationOptions)
    if ((filterType === undefined) !== (filterValue === undefined)) {
      const fieldPath = filterType === undefined ? 'filterType' : 'filterValue'
      throw fieldInvalid(fieldPath, 'present: a filter has a type and a value')
    }
  },
  needs: ({ filterType, filterValue, paginationOptions }) => [
    { need: 'holders', ...lookupOf(filterType, filterValue), page: pageOf(paginationOptions) },
  ],

  run: ({ organization }) => ({ organizationIds: [...organization.holders()] }),
})

function lookupOf(filterType: string | undefined, contact: string | undefined) {
  if (contact === undefined) return anyVerifiedContact
  return verifiedContactLookup({
    verificationType: filterType === 'EMAIL' ? 'OTP_TYPE_EMAIL' : 'OTP_TYPE_SMS',
    contact,
  })
}
