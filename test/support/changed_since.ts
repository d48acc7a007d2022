import { expect, test } from 'vitest'
import { type Parameters, startOrganization, type TestOrganization } from './organization.ts'
import { takeMails } from './recovery.ts'

type Made = TestOrganization & { readonly secondId: string; readonly thirdId: string }
type Asked = readonly [name: string, parameters: Parameters]

export type ChangeCase = {
  /** The start, and the two requests: each is approved by two people, the second before the first. */
  readonly prepare: (made: Made) => Promise<{ readonly first: Asked; readonly between: readonly Asked[] }>
  /** The part of the failure that names the change. */
  readonly changed?: RegExp
}

export const by = (userId: string) => `approvers.any(user, user.id == '${userId}')`
export const byTag = (tagId: string) => `approvers.any(user, user.tags.contains('${tagId}'))`

export async function newTag({ done }: Made, userTagName: string) {
  return (await done('create_user_tag', { userTagName, userIds: [] })).userTagId
}

/** Tests that a request that waits fails, or runs, after its last vote, when others have changed things meanwhile. */
export function testChanges(cases: Readonly<Record<string, ChangeCase>>): void {
  for (const [name, { prepare, changed }] of Object.entries(cases)) {
    test(`${changed === undefined ? 'runs' : 'fails'} after the last vote: ${name}`, async () => {
      const organization = await startOrganization()
      const { anotherUser, done, submit, found, server, rootUserId } = organization
      const [second, third] = [await anotherUser('second'), await anotherUser('third')]
      const prepared = await prepare({ ...organization, secondId: second.userId, thirdId: third.userId })
      await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
      const approve = async ({ fingerprint }: { readonly fingerprint: string }) =>
        (await submit('approve_activity', { fingerprint }, second)).body.activity
      const ask = async ([operation, parameters]: Asked) => (await submit(operation, parameters)).body.activity
      const waiting = await ask(prepared.first)
      expect(waiting.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
      for (const one of prepared.between) {
        const asked = await ask(one)
        const ended = asked.status === 'ACTIVITY_STATUS_COMPLETED' ? asked : await approve(asked)
        expect(ended.status, JSON.stringify(ended.failure)).toBe('ACTIVITY_STATUS_COMPLETED')
      }
      await takeMails(server)
      const ended = await approve(waiting)
      if (changed === undefined) {
        expect(ended.status).toBe('ACTIVITY_STATUS_COMPLETED')
        return
      }
      expect(ended.status).toBe('ACTIVITY_STATUS_FAILED')
      expect(ended.failure.code).toBe(9)
      expect(ended.failure.message).toContain('ask again')
      expect(ended.failure.message).toMatch(changed)
      expect(await takeMails(server)).toEqual([])
      expect((await found('get_activity', { activityId: waiting.id })).activity.result).toEqual({})
    })
  }
}
