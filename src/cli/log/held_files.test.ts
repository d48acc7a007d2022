import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { activityProofVectors } from '../../../test/support/activity_proof_vectors.ts'
import { honestExport, randomLogs } from '../../../test/support/altered_exports.ts'
import { checkpointOf } from '../../../test/support/log_exports.ts'
import { checkpointsIn, policyIn, proofsIn } from './held_files.ts'

const folder = mkdtempSync(join(tmpdir(), 'claviger-held-'))
const at = (name: string) => join(folder, name)
const [log] = randomLogs
const { text } = checkpointOf(log, '')
const ofLog = { origin: log.origin, size: log.entries.length }

test('a checkpoint is read from a file, and once from a pipe, as of another command', async () => {
  writeFileSync(at('checkpoint'), text)
  execFileSync('mkfifo', [at('pipe')])
  spawn('sh', ['-c', 'cat "$0" > "$1"', at('checkpoint'), at('pipe')])
  const held = await checkpointsIn([at('checkpoint'), at('pipe')])
  expect(held).toMatchObject([
    { ...ofLog, path: at('checkpoint'), text },
    { ...ofLog, path: at('pipe'), text },
  ])
})

test('an export gives the checkpoint of each of its logs', async () => {
  writeFileSync(at('export'), honestExport)
  const held = await checkpointsIn([at('export')])
  expect(held.map(({ origin, size }) => ({ origin, size }))).toEqual(
    randomLogs.map(({ origin, entries }) => ({ origin, size: entries.length })),
  )
})

const marked = (given: string) => Buffer.from(`\uFEFF${given}`)

test('a byte order mark of UTF-8 is no part of a file, and one of UTF-16 is named', async () => {
  const policy = 'quorum none\n'
  writeFileSync(at('policy'), marked(policy))
  expect(await policyIn(at('policy'))).toMatchObject({ logs: [] })
  writeFileSync(at('marked'), marked(text))
  writeFileSync(at('marked export'), marked(honestExport))
  const [own, ...others] = await checkpointsIn([at('marked'), at('marked export')])
  expect(own).toMatchObject({ ...ofLog, text })
  expect(others).toHaveLength(randomLogs.length)
  const [proof] = activityProofVectors().activities
  writeFileSync(at('proof'), marked(proof?.file ?? ''))
  expect(await proofsIn([at('proof')])).toMatchObject([{ path: at('proof') }])

  writeFileSync(at('wide'), Buffer.from(`\uFEFF${policy}`, 'utf16le'))
  for (const read of [policyIn, (path: string) => checkpointsIn([path]), (path: string) => proofsIn([path])])
    await expect(read(at('wide'))).rejects.toThrow('byte order mark of UTF-16: save it as UTF-8')
})

test('a file that is neither, or is not there, is named', async () => {
  writeFileSync(at('broken'), '{}\n')
  await expect(checkpointsIn([at('broken')])).rejects.toThrow(`${at('broken')} is no export`)
  await expect(checkpointsIn([at('absent')])).rejects.toThrow(`${at('absent')} cannot be read`)
})
