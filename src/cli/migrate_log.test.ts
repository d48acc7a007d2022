import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { ethereumAccount, signingOf } from '../../test/support/client.ts'
import { organizationOver } from '../../test/support/http_organization.ts'
import { thirdSchema, undone } from '../../test/support/older_schema.ts'
import { startRunningServer } from '../../test/support/running_server.ts'
import { freshFolder, killLaunched, run } from '../../test/support/server_command.ts'
import { soon } from '../../test/support/soon.ts'

afterAll(killLaunched)

test('an organization from before the log signs and changes after the migration, and its export verifies from there on', async () => {
  const folder = freshFolder()
  const first = await startRunningServer({ folder })
  const before = organizationOver(first)
  const made = await before.done('create_wallet', { walletName: 'w', accounts: [ethereumAccount("m/44'/60'/0'/0/0")] })
  await before.done('create_user_tag', { userTagName: 'before', userIds: [] })
  await first.stop()
  {
    using database = new DatabaseSync(join(folder, 'claviger.db'))
    database.exec(`${thirdSchema}; ${undone}`)
  }
  // The journal of such a server had no log, and this one has.
  rmSync(join(folder, 'mark'), { recursive: true })
  expect((await run(['migrate', '--data', folder])).code).toBe(0)

  const server = await startRunningServer({ folder })
  const { done, rootUserId } = organizationOver(server)
  await done('sign_raw_payload', signingOf(made.addresses[0], 'x'))
  const wallet = await done('create_wallet', { walletName: 'new', accounts: [ethereumAccount("m/44'/60'/0'/0/0")] })
  await done('sign_raw_payload', signingOf(wallet.addresses[0], 'x'))
  // The document of a change has the whole user, so the stamps after it are verified.
  await done('update_user', { userId: rootUserId, userName: 'root user' })
  await done('create_user_tag', { userTagName: 'after', userIds: [] })
  const { logs } = await soon(async () => {
    const found = await (await fetch(`${server.url}/log/`)).json()
    // The start with its settings, and these.
    expect(found.logs).toMatchObject([{ size: 6 }])
    return found
  })
  const [file, policy] = [join(dirname(folder), 'export'), join(dirname(folder), 'policy')]
  writeFileSync(policy, `${logs[0].keys.map((key: string) => `log ${key}\n`).join('')}quorum none\n`)
  const exported = await run(['log', 'export', '--output', file, '--credentials', join(folder, 'credentials.json')])
  expect([exported.code, exported.stderr]).toEqual([0, ''])
  const verified = await run(['log', 'verify', file, '--policy', policy, '--json'])
  const { verdict, chain, stamps, rules, changes, results } = JSON.parse(verified.stdout.join(''))
  expect([verified.code, verdict.name, chain.findings]).toEqual([0, 'WHOLE, BUT NOT ALL CHECKED', []])
  // It begins with the head below the first entry.
  expect(chain).toMatchObject({ entries: 5, begins: { version: 3 }, newest: { version: 6 } })
  const beforeLog = 'what was before the log began'
  expect(stamps).toMatchObject({
    checked: 1,
    findings: [],
    notChecked: { [`stamps by keys that may be from ${beforeLog}`]: 4 },
  })
  expect(rules).toMatchObject({
    checked: 0,
    findings: [],
    notChecked: { [`decisions by rules that may be from ${beforeLog}`]: 5 },
  })
  expect(changes.findings).toEqual([])
  // The signature of the new account, and its address.
  expect(results).toMatchObject({
    checked: 2,
    findings: [],
    notChecked: { [`signatures of keys that may be from ${beforeLog}`]: 1 },
  })
  await server.stop()
}, 120_000)
