import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MarkError, openMark } from './mark.ts'
import { UnsealError } from './wrapped_seed.ts'

const organizationId = '0192f3a0-1111-7abc-8def-0123456789ab'
const otherId = '0192f3a0-1111-7abc-8def-aaaaaaaaaaab'
const first = { version: 1, tag: 'aa'.repeat(16) }
const second = { version: 2, tag: 'bb'.repeat(16) }

test('an organization that was never marked has no mark', async () => {
  expect(await fresh().mark.get(organizationId)).toBeUndefined()
})

test('what was raised is read back, also by another vault', async () => {
  const { mark, directory } = fresh()
  await mark.raise({ organizationId, ...first })
  await mark.raise({ organizationId: otherId, ...second })
  for (const reader of [mark, openMark({ directory })]) {
    expect(await reader.get(organizationId)).toEqual(first)
    expect(await reader.get(otherId)).toEqual(second)
  }
})

describe('a mark at version 2', () => {
  test('is raised to a later version, with gaps', async () => {
    const { mark } = await marked(second)
    await mark.raise({ organizationId, version: 9, tag: 'cc' })
    expect(await mark.get(organizationId)).toEqual({ version: 9, tag: 'cc' })
  })

  test('may be raised to where it is', async () => {
    const { mark } = await marked(second)
    await mark.raise({ organizationId, ...second })
    expect(await mark.get(organizationId)).toEqual(second)
  })

  for (const [name, raised] of [
    ['an earlier version', first],
    ['another head of the same version', { ...second, tag: 'cc'.repeat(16) }],
  ] as const) {
    test(`is not moved to ${name}, not even by a vault that has not read it`, async () => {
      const { mark, directory } = await marked(second)
      for (const writer of [mark, openMark({ directory })]) {
        await expect(writer.raise({ organizationId, ...raised })).rejects.toBeInstanceOf(MarkError)
        expect(await writer.get(organizationId)).toEqual(second)
      }
    })
  }
})

test('raises that come together happen one after the other, and a refused one stops none', async () => {
  const { mark, directory } = fresh()
  const versions = [1, 2, 3, 2, 4, 5]
  const settled = await Promise.allSettled(
    versions.map((version) => mark.raise({ organizationId, version, tag: `tag-${version}` })),
  )
  expect(settled.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(await openMark({ directory }).get(organizationId)).toEqual({ version: 5, tag: 'tag-5' })
})

test('a mark that is read while it is raised is never an older one afterwards', async () => {
  const { directory } = await marked(first)
  const mark = openMark({ directory })
  await Promise.all([mark.get(organizationId), mark.raise({ organizationId, ...second }), mark.get(organizationId)])
  expect(await mark.get(organizationId)).toEqual(second)
})

describe('a damaged mark is an error and not a missing one', () => {
  for (const [name, damage] of [
    ['empty', () => ''],
    ['cut off', (text: string) => text.slice(0, -1)],
    ['another version', (text: string) => text.replace(' 2 ', ' 1 ')],
    ['another tag', (text: string) => text.replace('bbbb', 'bbba')],
    ['another checksum', (text: string) => text.replace(/.{4}\n$/, '0000\n')],
    ['more behind it', (text: string) => `${text}x`],
    ['another format', (text: string) => text.replace('mark-1', 'mark-2')],
  ] as const) {
    test(name, async () => {
      const { directory, path } = await marked(second)
      writeFileSync(path, damage(readFileSync(path, 'utf8')))
      const mark = openMark({ directory })
      await expect(mark.get(organizationId)).rejects.toBeInstanceOf(MarkError)
      await expect(mark.raise({ organizationId, version: 3, tag: 'cc' })).rejects.toBeInstanceOf(MarkError)
    })
  }

  test('the mark of another organization', async () => {
    const { directory, path } = await marked(second)
    await copyFile(path, join(directory, 'ab', otherId))
    await expect(openMark({ directory }).get(otherId)).rejects.toBeInstanceOf(MarkError)
  })

  test('a directory in its place', async () => {
    const { mark, directory } = fresh()
    await mkdir(join(directory, 'ab', organizationId), { recursive: true })
    await expect(mark.get(organizationId)).rejects.toBeInstanceOf(MarkError)
  })
})

describe('an organization id that is no lower-case UUID touches no path', () => {
  for (const id of [
    '',
    '../../etc/passwd',
    organizationId.toUpperCase(),
    `${organizationId}/`,
    `${organizationId}\n`,
  ]) {
    test(JSON.stringify(id), async () => {
      const { mark, directory } = fresh()
      await mark.prepare()
      await expect(mark.get(id)).rejects.toBeInstanceOf(MarkError)
      await expect(mark.raise({ organizationId: id, ...first })).rejects.toBeInstanceOf(MarkError)
      expect(readdirSync(directory)).toEqual([])
    })
  }
})

for (const [name, entry] of [
  ['version 0', { version: 0, tag: 'aa' }],
  ['a fraction', { version: 1.5, tag: 'aa' }],
  ['an empty tag', { version: 1, tag: '' }],
  ['a tag with a space', { version: 1, tag: 'a a' }],
  ['a tag of 129 characters', { version: 1, tag: 'a'.repeat(129) }],
] as const) {
  test(`a mark that could not be read back is not written: ${name}`, async () => {
    const { mark } = fresh()
    await expect(mark.raise({ organizationId, ...entry })).rejects.toBeInstanceOf(MarkError)
    expect(await mark.get(organizationId)).toBeUndefined()
  })
}

test('a directory that cannot be used says so', async () => {
  const { directory, mark } = fresh()
  writeFileSync(directory, '')
  await expect(mark.prepare()).rejects.toBeInstanceOf(UnsealError)
  await expect(mark.prepare()).rejects.toThrow(`the mark folder ${directory} cannot be used (EEXIST): make it a folder`)
})

test('only the owner may read it', async () => {
  const { directory, path, mark } = await marked(second)
  await mark.prepare()
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, 'ab')).mode & 0o777).toBe(0o700)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(directory, 'ab'))).toEqual([organizationId])
})

function fresh() {
  const directory = join(mkdtempSync(join(tmpdir(), 'claviger-mark-')), 'mark')
  return { directory, mark: openMark({ directory }), path: join(directory, 'ab', organizationId) }
}

async function marked(entry: { readonly version: number; readonly tag: string }) {
  const opened = fresh()
  await opened.mark.raise({ organizationId, ...entry })
  return opened
}
