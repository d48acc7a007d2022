import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { repositoryFolder } from '../support/running_server.ts'

test('no signal opens a debugger of the service, and no dump is made of its memory', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-process-'))
  const program = join(repositoryFolder, 'bin', 'claviger')
  const child = spawn(program, ['dev', '--port', '0', '--data', folder], { stdio: ['ignore', 'pipe', 'pipe'] })
  const complaints: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line))
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('ready on http:')) break
  child.stdout.resume()
  child.kill('SIGUSR1')
  await sleep(500)
  expect(complaints.filter((line) => line.includes('Debugger'))).toEqual([])
  const limits = `/proc/${child.pid}/limits`
  if (existsSync(limits)) expect(readFileSync(limits, 'utf8')).toMatch(/Max core file size +0 +0/)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})
