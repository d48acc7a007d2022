import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished, type TestContext } from 'vitest'
import { createAuthority } from './certificates.ts'
import { needsDebian } from './debian.ts'

const script = fileURLToPath(new URL('ticket_server.py', import.meta.url))

/** Starts a TLS server for `localhost` that sends a million session tickets and no answer. Node's cannot. */
export async function startTicketServer(context: TestContext) {
  const python = needsDebian('python3', context)
  const authority = createAuthority()
  const { cert, key } = authority.issue({ hosts: ['localhost'] })
  const folder = await mkdtemp(join(tmpdir(), 'claviger-tickets-'))
  const [caFile, own] = [join(folder, 'ca.pem'), join(folder, 'own.pem')]
  await writeFile(caFile, authority.certificate)
  await writeFile(own, `${cert}${key}`, { mode: 0o600 })
  const server = spawn(python, [script, own, '1000000'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [port] = await once(server.stdout, 'data')
  return { port: Number(port), caFile, certificate: authority.certificate }
}
