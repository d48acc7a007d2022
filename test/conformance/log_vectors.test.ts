import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { needsDebianPython } from '../support/debian.ts'
import { logVectors } from '../support/log_vectors.ts'

/** The vectors of the transparency log's formats, and a second reader that was written from their page alone. */

const folder = join(import.meta.dirname, '..', 'vectors', 'log')

test('every vector is as the code makes it', () => {
  for (const [name, text] of logVectors()) {
    expect(readFileSync(join(folder, name), 'utf8'), `${name}: npx node scripts/write_log_vectors.ts`).toBe(text)
  }
})

test('a reader in Python agrees with every vector that needs no ML-DSA', (context) => {
  const python = needsDebianPython('cryptography', context)
  const lines = execFileSync(python, [join(folder, 'reader.py'), folder], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(11)
  for (const line of lines) expect(line).toMatch(/^\w+: [1-9]\d* agree, 0 do not$/)
})

test('that reader says so if it disagrees', (context) => {
  const python = needsDebianPython('cryptography', context)
  const copy = mkdtempSync(join(tmpdir(), 'claviger-log-vectors-'))
  try {
    cpSync(folder, copy, { recursive: true })
    const file = join(copy, 'witness.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"status": 422', '"status": 200'))
    expect(() => execFileSync(python, [join(folder, 'reader.py'), copy], { stdio: 'pipe' })).toThrow(
      expect.objectContaining({
        status: 1,
        stdout: expect.toSatisfy((out) => /witness: 15 agree, 1 do not/.test(`${out}`)),
      }),
    )
  } finally {
    rmSync(copy, { recursive: true })
  }
})
