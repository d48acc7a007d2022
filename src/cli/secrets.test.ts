import { globSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { processesBelow } from '../../test/support/running_server.ts'
import { freshFolder, killLaunched, run, serve } from '../../test/support/server_command.ts'

afterAll(killLaunched)

const mailUrl = 'smtps://ada:hush@localhost'

test('a password in a flag ends the start with 2 and one line, which has the remedy and not the password', async () => {
  const { code, stderr, stdout } = await run(['dev', '--data', freshFolder(), '--port', '0', '--smtp-url', mailUrl])
  expect([code, stdout]).toEqual([2, []])
  expect(stderr).toMatch(/^claviger: --smtp-url holds a secret, .*CLAVIGER_SMTP_URL.*CLAVIGER_SMTP_URL_FILE.*\n$/)
  expect(stderr).not.toContain('hush')
})

test('a password in the environment is in no report of the process and in none of its children', async () => {
  const reports = mkdtempSync(join(tmpdir(), 'claviger-report-'))
  const environment = {
    CLAVIGER_SMTP_URL: mailUrl,
    NODE_OPTIONS: `--report-on-signal --report-signal=SIGUSR2 --report-directory=${reports}`,
  }
  const { child, stop } = await serve('dev', freshFolder(), [], { environment })
  child.kill('SIGUSR2')
  const report = JSON.parse(await written(join(reports, '*.json')))
  expect(Object.keys(report.environmentVariables)).toContain('NODE_OPTIONS')
  expect(JSON.stringify(report)).not.toContain('hush')
  const children = processesBelow(child.pid ?? 0)
  expect(children).not.toEqual([])
  for (const { pid } of children) expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain('hush')
  expect((await stop()).code).toBe(0)
})

/** The content of the one file, once it is whole. */
async function written(pattern: string): Promise<string> {
  for (;;) {
    const text = globSync(pattern)
      .map((path) => readFileSync(path, 'utf8'))[0]
      ?.trim()
    if (text?.endsWith('}') === true && text.includes('"sharedObjects"')) return text
    await sleep(20)
  }
}
