import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startInProcess } from '../../../../test/support/in_process.ts'
import { newUser, organizationOf } from '../../../../test/support/organization.ts'
import { recover } from '../../../../test/support/recovery.ts'
import { withStatements } from '../../../../test/support/server_database.ts'

test('a user whom an earlier version has stored by another spelling is found after the upgrade, and can be changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-mailboxes-'))
  const clock = { nowMs: Date.now() }
  const start = () => startInProcess({ folder, nowMs: () => clock.nowMs })
  const older = await start()
  const made = await older.createOrganization()
  const root = { organizationId: made.organizationId, rootUserId: made.userId, apiKey: made.apiKey }
  const userEmail = 'Ada@MAIL。bücher.example'
  const users = [newUser({ userEmail })]
  const [userId] = (await organizationOf({ server: older, clock }, root).done('create_users', { users })).userIds
  await older.close()
  const keys = () =>
    withStatements(folder, (execute) => execute("select key from lookups where lookup = 'user_email'", []).rows)
  withStatements(folder, (execute) => {
    execute("update lookups set key = 'ada@mail。bücher.example' where lookup = 'user_email'", [])
    // As before the migration of mailboxes, and those behind it.
    for (const table of ['transparency_logs', 'log_bundles', 'log_index']) execute(`drop table ${table}`, [])
    execute('drop index webhook_messages_turns', [])
    execute('drop index webhook_messages_sources', [])
    execute('alter table webhook_messages drop column happened_in', [])
    execute(
      'create index webhook_messages_due on webhook_messages (organization_id, due_at_ms, message_id)\n      where ended_at_ms is null',
      [],
    )
    execute('delete from migrations where number >= 8', [])
  })

  const server = await start()
  try {
    const organization = organizationOf({ server, clock }, root)
    const { done, found } = organization
    const mailbox = 'ada@mail.xn--bcher-kva.example'
    expect(keys()).toEqual([{ key: mailbox }])
    const recovered = await recover(organization, { email: mailbox })
    expect([recovered.userId, recovered.mail.to]).toEqual([userId, userEmail])
    await done('update_user_email', { userId, userEmail: 'ada@example.org' })
    expect(keys()).toEqual([{ key: 'ada@example.org' }])
    expect((await found('get_user', { userId })).user).toMatchObject({ userEmail: 'ada@example.org' })
  } finally {
    await server.close()
  }
})
