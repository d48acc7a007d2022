import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noOrganizationId } from '../../src/protocol/log/log_entry.ts'
import { backUp, restore } from '../support/backup.ts'
import { claviger } from '../support/command.ts'
import { organizationOver } from '../support/http_organization.ts'
import { loggedEntries } from '../support/logged_entries.ts'
import { type ReachableServer, repositoryFolder, startRunningServer } from '../support/running_server.ts'
import { soon } from '../support/soon.ts'

/** The hashes of the log's entries, as the server serves them. */
async function servedHashes({ url }: ReachableServer): Promise<readonly string[]> {
  const { logs } = await (await fetch(`${url}/log/`)).json()
  const [{ path, size }] = logs
  const tile = await (await fetch(`${url}${path}/tile/entries/000.p/${size}`)).bytes()
  return Array.from({ length: size }, (_, at) => Buffer.from(tile.subarray(34 * at + 2, 34 * at + 34)).toString('hex'))
}

test('a lifted list, a link and an accepted restore are entries of the log, in the words of the operator', async () => {
  let server = await startRunningServer()
  const { folder, credentials } = server
  const { organizationId, userId } = credentials
  const run = async (...given: readonly string[]) => {
    const { code, stdout, stderr } = await claviger(...given, '--data', folder, '--json')
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }
  const lifted = await run('vault', 'lift-ip-allowlist', organizationId)
  await run('console-link', '--organization', organizationId, '--user', userId, '--port', '9000')
  const copy = join(mkdtempSync(join(tmpdir(), 'claviger-copy-')), 'copy.db')
  await backUp(folder, copy)
  await organizationOver(server).done('create_wallet', { walletName: 'w', accounts: [] })
  await server.stop()
  restore(folder, copy)
  server = await startRunningServer({ folder, command: 'serve' })
  const { accepted } = await run('vault', 'accept-restore', '--yes')
  let hashes: readonly string[] = []
  await soon(async () => {
    hashes = await servedHashes(server)
    // The settings, the organization, the link of the start, the list, the link, the wallet, settings and the restore.
    expect(hashes.length).toBeGreaterThanOrEqual(8)
  })
  await server.stop()

  const logged = await loggedEntries(folder)
  const acts = logged.filter(({ entry }) => entry.document !== undefined)
  const documents = acts.map(({ entry }) => JSON.parse(entry.document ?? ''))
  const found = (act: string) => {
    const at = documents.findIndex((document) => document.act === act)
    return { ...acts[at]?.entry, document: documents[at] }
  }
  const ofOperator = { isOfOperator: true, activity: undefined, restsOn: undefined, makes: undefined }
  expect(found('lift_ip_allowlist')).toMatchObject({ ...ofOperator, organizationId, document: { until: lifted.until } })
  const link = { userId, publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/), until: expect.any(String) }
  const made = documents.filter(({ act }) => act === 'make_link')
  expect(made).toContainEqual({ act: 'make_link', ...link })
  expect(found('accept_restore')).toMatchObject({
    ...ofOperator,
    organizationId: noOrganizationId,
    document: { act: 'accept_restore', journal: accepted.oldJournalId, organizations: 1 },
  })
  expect(documents.filter(({ act }) => act === 'change_settings')).toHaveLength(2)
  for (const { bytes } of acts) expect(hashes).toContain(hash('sha256', bytes))
  // Nobody can guess one, and compare it with the hashes.
  expect(new Set(acts.map(({ entry }) => entry.changeKey)).size).toBe(acts.length)
})

test('a start with other settings is an entry of the log, and one with the same is none', async () => {
  const first = await startRunningServer()
  const { folder } = first
  await first.stop()
  const start = (...flags: readonly string[]) => startRunningServer({ folder, command: 'serve', flags })
  const issuer = ['--oidc-issuers', 'https://issuer.example'] as const
  await (await start()).stop()
  await (await start(...issuer)).end('SIGKILL')
  const last = await start(...issuer)
  await last.stop()
  const logged = await loggedEntries(folder)
  const documents = logged.flatMap(({ entry }) => (entry.organizationId === noOrganizationId ? [entry.document] : []))
  const changes = documents.map((document) => JSON.parse(document ?? ''))
  const { version } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8'))
  const kept = { act: 'change_settings', unsealer: 'keyFile', version, digest: expect.stringMatching(/^[0-9a-f]{64}$/) }
  expect(changes).toEqual([
    { ...kept, changed: expect.arrayContaining(['limits.usersMax', 'loopbackHttp', 'vaultState', 'version']) },
    // `dev` lets issuers and webhooks on this machine speak HTTP.
    { ...kept, changed: ['loopbackHttp'] },
    { ...kept, changed: ['oidcIssuers'] },
  ])
})
