import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vaultsOf } from '../../test/support/running_server.ts'
import { freshFolder, killLaunched, madeFolder, run, serve } from '../../test/support/server_command.ts'

afterAll(killLaunched)

function passphraseFile(text: string, mode = 0o600): string {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-passphrase-')), 'passphrase')
  writeFileSync(path, text, { mode })
  return path
}

const unsealedBy = (path: string) => ({ environment: { CLAVIGER_ROOT_PASSPHRASE_FILE: path } })

for (const command of ['dev', 'serve'] as const) {
  test(`a passphrase file opens the vault of ${command}, again after a restart, without any key file`, async () => {
    const data = freshFolder()
    const path = passphraseFile('correct horse battery staple\n')
    for (let start = 1; start <= 2; start += 1) {
      const server = await serve(command, data, [], unsealedBy(path))
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
      expect((await server.stop()).code).toBe(0)
    }
    expect(existsSync(join(data, 'vault'))).toBe(false)
  })
}

describe('a vault that a passphrase opens', () => {
  const data = freshFolder()
  const right = passphraseFile('correct horse battery staple')
  beforeAll(async () => {
    const made = await serve('dev', data, [], unsealedBy(right))
    expect((await made.stop()).code).toBe(0)
  })

  for (const [what, path, message] of [
    ['a wrong', passphraseFile('wrong horse'), /does not open: .*passphrase/],
    ['an empty', passphraseFile(''), /passphrase file .* is empty: write/],
    ['a readable', passphraseFile('correct horse battery staple', 0o644), /others may read .*: run chmod 600 \//],
    ['a missing', join(data, 'nothing'), /passphrase file .* cannot be read \(ENOENT\): make it/],
  ] as const) {
    test(`does not start with ${what} file: the end says what is wrong, and leaves no process`, async () => {
      const { code, stdout, stderr } = await run(['serve', '--data', data, '--port', '0', '--json'], unsealedBy(path))
      expect([code, stderr]).toEqual([2, ''])
      expect(JSON.parse(stdout.join(''))).toEqual({ error: { message: expect.stringMatching(message) } })
      expect(vaultsOf(data)).toEqual([])
    })
  }

  test('starts with the right one after that', async () => {
    const server = await serve('serve', data, [], unsealedBy(right))
    expect((await server.stop()).code).toBe(0)
  })
})

test('a passphrase file given for a vault that a key file opens says by what it was wrapped', async () => {
  const data = await madeFolder()
  const { code, stderr } = await run(['serve', '--data', data, '--port', '0'], unsealedBy(passphraseFile('any')))
  expect(code).toBe(2)
  expect(stderr).toMatch(/^claviger: .*was not wrapped by the unsealer passphrase.*\n$/)
})

test('a passphrase of under 12 characters makes no vault: one line says how many it needs', async () => {
  const data = freshFolder()
  const { code, stderr } = await run(['dev', '--data', data, '--port', '0'], unsealedBy(passphraseFile('hunter22')))
  expect(code).toBe(2)
  expect(stderr).toMatch(/^claviger: the passphrase in .* has 8 characters, and at least 12 are needed: .*\n$/)
})
