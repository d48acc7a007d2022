import { expect, test } from 'vitest'
import { wireNames } from '../../test/support/wire_forms.ts'
import { findOperation } from './catalogue.ts'
import { unsupportedNameAt, unsupportedPaths } from './unsupported.ts'

// Paths of the kind `internal` are for the provider's own tests: no client asks for them, and they will not come.
const clientPaths = Object.entries(wireNames.operations).flatMap(([name, { kind, path }]) =>
  kind === 'query' || kind === 'activity' ? [{ name, path }] : [],
)

test('every path of the wider interface is either an operation or known as unsupported, under its name', () => {
  for (const { name, path } of clientPaths) {
    expect(unsupportedNameAt(path), path).toBe(findOperation(path) === undefined ? name : undefined)
  }
})

test('nothing is called unsupported that the wider interface does not have', () => {
  const paths = clientPaths.map(({ path }) => path)
  expect(unsupportedPaths.filter((path) => !paths.includes(path))).toEqual([])
  expect(unsupportedPaths.length).toBeGreaterThan(0)
})

test.each([
  '/public/v1/submit/nothing',
  '/public/v1/submit/list_secrets',
  '/public/v1/submit/',
  'oauth',
  'constructor',
])('%s is nobody’s path', (path) => {
  expect(unsupportedNameAt(path)).toBeUndefined()
})
