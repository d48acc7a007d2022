import Type from 'typebox'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { defineQuery } from '../define.ts'
import { fields, oneOf, optional, PaginationOptions, Uuid } from '../fields/fields.ts'
import { checkPagination, pageOf } from '../fields/page_fields.ts'

const filterTypes = ['EMAIL', 'PHONE_NUMBER'] as const

import { verifiedContactLookup } from '../sessions/shared/verification_tokens.ts'

export default defineQuery({
  name: 'list_verified_suborgs',
  summary: 'Lists the ids of the sub-organizations that have a user with this verified e-mail address or phone number.',
  parameters: fields({
    organizationId: Uuid,
    filterType: optional(oneOf(filterTypes)),
    filterValue: optional(Type.String({ minLength: 1, maxLength: 512, expected: 'a text of 1 to 512 characters' })),
    paginationOptions: optional(PaginationOptions),
  }),
  result: Type.Object({ organizationIds: Type.Array(Type.String()) }),
  check: ({ filterType, filterValue, paginationOptions }) => {
    checkPagination(paginationOptions)
    const expected = 'present: a verified contact is looked up by its type and its value'
    if (filterType === undefined) throw fieldInvalid('filterType', expected)
    if (filterValue === undefined) throw fieldInvalid('filterValue', expected)
  },
  needs: ({ filterType, filterValue = '', paginationOptions }) => [
    {
      need: 'holders',
      ...verifiedContactLookup({
        verificationType: filterType === 'EMAIL' ? 'OTP_TYPE_EMAIL' : 'OTP_TYPE_SMS',
        contact: filterValue,
      }),
      page: pageOf(paginationOptions),
    },
  ],

  run: ({ organization }) => ({ organizationIds: [...organization.holders()] }),
})
