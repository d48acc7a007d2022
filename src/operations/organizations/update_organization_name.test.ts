import { describe, expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, submit, done, found, anotherUser } = await startOrganization()

const longest = 'n'.repeat(256)

for (const organizationName of ['Renamed', 'x', longest, '😀'.repeat(256), 'Ünï çødé', 'a  b']) {
  test(`the organization may be called ${organizationName.slice(0, 20)} (${organizationName.length} units)`, async () => {
    const result = await done('update_organization_name', { organizationName })
    expect(result).toStrictEqual({ organizationId, organizationName })
    expect(await found('whoami')).toMatchObject({ organizationName })
  })
}

describe('invalid names are refused', () => {
  for (const [claim, organizationName] of [
    ['empty', ''],
    ['257 characters', `${longest}n`],
    ['257 emoji', '😀'.repeat(257)],
    ['a blank before the name', ' name'],
    ['a blank after the name', 'name '],
    ['a no-break space after the name', 'name\u00a0'],
    ['two lines', 'two\nlines'],
    ['a control character', 'a\u0000b'],
    ['a number', 5],
    ['a list', ['name']],
  ] as const) {
    test(claim, async () => {
      const answer = await submit('update_organization_name', { organizationName })
      expectRefused(answer, 400, 'parameters.organizationName must be a text of 1 to 256 characters on one line')
    })
  }
})

test('a user outside of the root quorum may not rename the organization', async () => {
  const { apiKey } = await anotherUser()
  const answer = await submit('update_organization_name', { organizationName: 'Mine' }, { apiKey })
  expectRefused(answer, 403, "You don't have sufficient permissions to take this action.")
})

test('half a surrogate pair is not a name', async () => {
  const answer = await submit('update_organization_name', { organizationName: 'a\ud800b' })
  expectRefused(answer, 400, 'parameters.organizationName must be ')
})
