import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../../../test/support/certificates.ts'
import { portOf } from '../../../../test/support/smtp_server.ts'
import { createTrust } from './trust.ts'

test('the authorities are read once, for all connections', async () => {
  const trust = createTrust(undefined)
  expect(await trust()).toBe(await trust())
})

test('no receiver chooses the group of Diffie-Hellman, which may be a slow one', async () => {
  const authority = createAuthority()
  const certificate = authority.issue({ hosts: ['localhost'], keyType: 'rsa' })
  const options = { ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2' } as const
  const server = createServer({ ...certificate, ...options }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const secureContext = await createTrust(undefined)()
  const socket = connect({ host: 'localhost', port: portOf(server.address()), secureContext })
  await expect(once(socket, 'secureConnect')).rejects.toThrow('handshake failure')
})

test('a file that cannot be read is read again', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'claviger-trust-')), 'ca.pem')
  const trust = createTrust(file)
  await expect(trust()).rejects.toThrow('ENOENT')
  await writeFile(file, rootCertificates[0] ?? '')
  expect(await trust()).toBe(await trust())
})

test('authorities that the operator names to Node are trusted too', async () => {
  const authority = createAuthority()
  const server = createServer(authority.issue({ hosts: ['localhost'] })).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const file = join(await mkdtemp(join(tmpdir(), 'claviger-trust-')), 'ca.pem')
  await writeFile(file, authority.certificate)
  const script = `
    const { createTrust } = await import(${JSON.stringify(new URL('./trust.ts', import.meta.url))})
    const secureContext = await createTrust(undefined)()
    const { connect } = await import('node:tls')
    const socket = connect({ host: 'localhost', port: ${portOf(server.address())}, secureContext })
    socket.on('secureConnect', () => console.log(socket.authorized)).on('error', () => console.log(false))
    socket.on('secureConnect', () => socket.end())`
  const said = async (env: Readonly<Record<string, string>>) =>
    (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })).stdout.trim()
  expect([await said({}), await said({ NODE_EXTRA_CA_CERTS: file })]).toEqual(['false', 'true'])
})
