import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import { laneDescriptors, settingsArgument } from '../../link/vault_settings.ts'
import { nativeSecp256k1 } from '../../protocol/crypto/secp256k1.ts'

// The vault's process runs alone, with a service that closes the channel at once.

const slowSecp256k1 = 'secp256k1 has no native build for this machine'
/** Simulates a machine for which the package has no build. */
const withoutNativeBuild = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'secp256k1/bindings') throw new Error('no native build was found')
      return next(specifier, context)
    },
  })
`)}`

test.runIf(nativeSecp256k1() !== undefined)('a vault with a native build of secp256k1 starts in silence', async () => {
  expect(await lifeOfVault([])).toEqual({ exitCode: 0, lines: [] })
})

test('a vault without a native build warns once that it will be slow', async () => {
  const { exitCode, lines } = await lifeOfVault(['--import', withoutNativeBuild])
  expect(exitCode).toBe(0)
  const message = expect.stringContaining(slowSecp256k1)
  expect(lines).toEqual([{ level: 'warn', time: expect.any(String), message }])
})

test('a vault that cannot read its settings logs that it cannot start and exits with 2', async () => {
  const { exitCode, lines } = await lifeOfVault([], '{}')
  expect(exitCode).toBe(2)
  expect(lines).toMatchObject([{ level: 'error', message: 'the vault cannot start' }])
})

async function lifeOfVault(nodeOptions: readonly string[], settings = validSettings()) {
  const entryPath = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child = spawn(process.execPath, [...nodeOptions, entryPath, settings], {
    stdio: ['pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: {},
  })
  const socket = child.stdio[laneDescriptors.small]
  if (!(socket instanceof Socket) || child.stderr === null) throw new Error('no process could be started')
  const [[exitCode], output] = await Promise.all([once(child, 'exit'), text(child.stderr), socket.end()])
  const lines = output.split('\n').filter((line) => line !== '')
  return { exitCode, lines: lines.map((line) => JSON.parse(line)) }
}

const validSettings = () => settingsArgument(vaultSettingsIn(mkdtempSync(join(tmpdir(), 'claviger-run-vault-'))))
