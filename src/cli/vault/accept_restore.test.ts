import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backUp, restore } from '../../../test/support/backup.ts'
import { bundledProgram } from '../../../test/support/bundle.ts'
import { claviger } from '../../../test/support/command.ts'
import { organizationOver } from '../../../test/support/http_organization.ts'
import { plainEnvironment, type RunningServer, startRunningServer } from '../../../test/support/running_server.ts'

const command = ['vault', 'accept-restore', '--data'] as const

describe('vault accept-restore', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startRunningServer()
  })
  afterAll(() => server.end('SIGKILL'))

  const whoami = async () => {
    const { organizationId, post } = organizationOver(server)
    return (await post('/public/v1/query/whoami', { organizationId })).status
  }

  /** Restores a copy that was made before a change. */
  async function goBack(): Promise<void> {
    const { folder } = server
    const copy = join(mkdtempSync(join(tmpdir(), 'claviger-copy-')), 'copy.db')
    await backUp(folder, copy)
    const walletName = `made ${performance.now()}`
    await organizationOver(server).done('create_wallet', { walletName, accounts: [] })
    await server.stop()
    restore(folder, copy)
    server = await startRunningServer({ folder, command: 'serve' })
  }

  test('does nothing where nothing differs, and says so', async () => {
    expect(await claviger(...command, server.folder)).toEqual({
      code: 0,
      stdout: 'Nothing differs: the database shows the newest version of 1 organization.\n',
      stderr: '',
    })
    const asJson = await claviger(...command, server.folder, '--yes', '--json')
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([
      0,
      { organizations: 1, differing: 0, rows: [], accepted: null },
    ])
    expect(server.complaints.filter((line) => line.includes('the operator accepted'))).toEqual([])
  })

  test('shows what differs and what it means, and without a terminal or --yes accepts nothing', async () => {
    await goBack()
    const { organizationId } = server.credentials
    expect(await whoami()).toBe(500)
    const { code, stdout, stderr } = await claviger(...command, server.folder)
    expect([code, stderr]).toEqual([2, expect.stringContaining('give --yes')])
    expect(stdout).toContain('differs from the books of the vault in 1 of 1 organization:\n')
    expect(stdout).toMatch(new RegExp(`\n  ${organizationId}  version 2 +version 1 \\(older\\)\n`))
    for (const part of ['old keys that were revoked since work again', 'stays counted', 'Every node must be told']) {
      expect(stdout).toContain(part)
    }
    const asJson = await claviger(...command, server.folder, '--json')
    expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([
      2,
      { error: { message: expect.stringContaining('give --yes') } },
    ])
    expect(await whoami()).toBe(500)
  })

  test.runIf(existsSync('/usr/bin/script'))(
    'on a terminal accepts when the word is typed, and not by any other',
    async () => {
      if ((await whoami()) === 200) await goBack()
      for (const typed of ['yes\n', 'Accept\n', '\n', '\x04']) {
        expect(onTerminal(typed), JSON.stringify(typed)).toContain('claviger: nothing was accepted')
        expect(await whoami()).toBe(500)
      }
      expect(onTerminal('accept\n')).toContain(
        'Accepted: the vault has forgotten the newest version of 1 organization.',
      )
      expect(await whoami()).toBe(200)
    },
  )

  test('with --json says what differed and what was done', async () => {
    if ((await whoami()) === 200) await goBack()
    const { code, stdout } = await claviger(...command, server.folder, '--yes', '--json')
    const { organizationId } = server.credentials
    const hexId = expect.stringMatching(/^[0-9a-f]{32}$/)
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        organizations: 1,
        differing: 1,
        rows: [{ organizationId, onBooks: 2, inDatabase: 1, difference: 'older' }],
        accepted: { oldJournalId: hexId, newJournalId: hexId, organizations: 1 },
      },
    ])
    expect(await whoami()).toBe(200)
  })

  test('ends with 3 where the vault has no socket, or no server runs, and says which', async () => {
    unlinkSync(join(server.folder, 'vault.sock'))
    const deaf = await claviger(...command, server.folder, '--yes')
    expect([deaf.code, deaf.stderr]).toEqual([
      3,
      expect.stringMatching(/the vault of .* does not answer .*--vault-data/),
    ])
    const nowhere = mkdtempSync(join(tmpdir(), 'claviger-nowhere-'))
    const { code, stderr } = await claviger(...command, nowhere, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('no server is running')])
  })

  /** Returns the output of the command on a terminal on which `typed` is typed. */
  function onTerminal(typed: string): string {
    const program = [process.execPath, bundledProgram(), ...command, server.folder].join(' ')
    const options = { input: typed, encoding: 'utf8', env: plainEnvironment() } as const
    return spawnSync('/usr/bin/script', ['-qec', program, '/dev/null'], options).stdout
  }
})
