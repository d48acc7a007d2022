import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { createTrust } from './trust.ts'

test('the authorities are read once, for all connections', async () => {
  const trust = createTrust(undefined)
  expect(await trust()).toBe(await trust())
})

test('a file that cannot be read is read again', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'claviger-trust-')), 'ca.pem')
  const trust = createTrust(file)
  await expect(trust()).rejects.toThrow('ENOENT')
  await writeFile(file, rootCertificates[0] ?? '')
  expect(await trust()).toBe(await trust())
})
