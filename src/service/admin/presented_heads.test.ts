import { expect, test } from 'vitest'
import { start } from '../../../test/support/start.ts'
import { presentedHeadsHandler } from './presented_heads.ts'

const absentId = '01234567-89ab-7cde-8f01-23456789abcd'

test('the presented heads are those of the rows; organizations that the database lacks are left out', async () => {
  const { store, createOrganization } = await start()
  const [first, second] = [await createOrganization(), await createOrganization()]
  const presentedHeads = presentedHeadsHandler({ store })
  const organizationIds = [second.organizationId, absentId, first.organizationId]
  const headOf = ({ organizationId, commit }: typeof first) => {
    return { organizationId, version: 1, tag: commit.heads[0]?.tag }
  }
  expect(await presentedHeads({ organizationIds })).toEqual([headOf(second), headOf(first)])
  expect(await presentedHeads({ organizationIds: [] })).toEqual([])
})

test('an argument that is no list of ids, or a list of too many, is refused', async () => {
  const { store } = await start()
  const presentedHeads = presentedHeadsHandler({ store })
  for (const argument of [undefined, null, {}, { organizationIds: absentId }, { organizationIds: ["'; --"] }]) {
    await expect(presentedHeads(argument), JSON.stringify(argument)).rejects.toThrow('organizationIds must be')
  }
  await expect(presentedHeads({ organizationIds: Array(1_001).fill(absentId) })).rejects.toThrow('at most 1000')
  expect(await presentedHeads({ organizationIds: Array(1_000).fill(absentId) })).toEqual([])
})
