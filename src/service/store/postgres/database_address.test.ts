import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDatabaseUrl } from './database_address.ts'

/** Undefined when the address is accepted. */
function refusalOf(url: string): string | undefined {
  try {
    readDatabaseUrl(url)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : expect.fail('it throws errors')
  }
}

test('an address names hosts, user, password and database, each decoded', () => {
  const authorities = join(mkdtempSync(join(tmpdir(), 'claviger-address-')), 'a+b c.pem')
  writeFileSync(authorities, 'PEM')
  const accepted = [
    ['postgres://ada@db', { hosts: [{ name: 'db', port: 5432 }], user: 'ada', database: 'ada', password: undefined }],
    ['postgresql://a%40b:p%2F%3F%23@db/k%2Fb', { user: 'a@b', password: 'p/?#', database: 'k/b' }],
    ['postgres://ada:@db/', { password: '', database: 'ada' }],
    ['postgres://ada@db?port=5433', { hosts: [{ name: 'db', port: 5433 }] }],
    ['postgres://ada@a:1,[::1]:2,c/db?port=3', { hosts: [1, 2, 3].map((port) => expect.objectContaining({ port })) }],
    ['postgres://ada@[fe80::1%25eth0]', { hosts: [{ name: 'fe80::1%eth0', port: 5432 }] }],
    ['postgres://ada@/db?host=/run/a+b', { hosts: [{ name: '/run/a+b', port: 5432 }], tls: undefined }],
    ['postgres://ada@%2Frun%2Fsocket:5433/db', { hosts: [{ name: '/run/socket', port: 5433 }] }],
    ['postgres://ada@db', { tls: { ca: undefined, checksName: true } }],
    ['postgres://ada@127.0.0.1,db', { tls: { ca: undefined, checksName: true } }],
    ['postgres://ada@127.0.0.1,[::1],localhost', { tls: undefined }],
    ['postgres://ada@db?sslmode=disable', { tls: undefined }],
    [`postgres://ada@db?sslmode=verify-ca&sslrootcert=${authorities}`, { tls: { ca: 'PEM', checksName: false } }],
    [`postgres://ada@db?sslrootcert=${encodeURIComponent(authorities)}`, { tls: { ca: 'PEM', checksName: true } }],
  ] as const
  for (const [url, parts] of accepted)
    expect([url, readDatabaseUrl(url)]).toEqual([url, expect.objectContaining(parts)])
  expect(readDatabaseUrl('postgres://ada:url@db', 'file').password).toBe('file')
})

const refused: readonly (readonly [string, string])[] = [
  ['', 'it is not of the form'],
  ['ada@db', 'it is not of the form'],
  ['POSTGRES://ada@db', 'it is not of the form'],
  ['postgres:/ada@db', 'it is not of the form'],
  ['postgres://ada@db#x', 'it is not of the form'],
  ['postgres://ada@db\n', 'it is not of the form'],
  ['postgres://', 'it names no host'],
  ['postgres://ada@', 'it names no host'],
  ['postgres://ada@db,', 'it names no host'],
  ['postgres://ada@[::1', 'it names no host'],
  ['postgres://ada@[xyz]', 'it names no host'],
  ['postgres://ada@::1', 'it names no host'],
  ['postgres://ada@db\r', 'it is not of the form'],
  ['postgres://ada@?host=db:x', 'a port is a number from 1 to 65535'],
  ['postgres://db/keys', 'it names no user'],
  ['postgres://%@db', 'a % in it is not followed'],
  ['postgres://ada:%zz@db', 'a % in it is not followed'],
  ['postgres://ada@db/%ff', 'a % in it is not followed'],
  ['postgres://ada@db?host=%f', 'a % in it is not followed'],
  ['postgres://ada%00@db', 'U+0000'],
  ['postgres://ada@db/%00', 'U+0000'],
  ['postgres://ada@db:0', 'a port is a number from 1 to 65535'],
  ['postgres://ada@db:65536', 'a port is a number from 1 to 65535'],
  ['postgres://ada@db?port=', 'a port is a number from 1 to 65535'],
  ['postgres://ada@db?port=0x10', 'a port is a number from 1 to 65535'],
  ['postgres://ada@db?port=1e3', 'a port is a number from 1 to 65535'],
  ['postgres://ada@db?port=1,2', 'a port is a number from 1 to 65535'],
  ['postgres://ada@db?sslmode=', 'sslmode'],
  ['postgres://ada@db?sslmode=prefer', 'sslmode=prefer does not verify who answers'],
  ['postgres://ada@db?sslmode=VERIFY-FULL', 'sslmode is not one of'],
  ['postgres://ada@db?sslmode=verify-full&sslmode=disable', 'sslmode is given twice'],
  ['postgres://ada@db?ssl=true', 'a parameter that is not one of host, port'],
  ['postgres://ada@db?password=hush', 'a parameter that is not one of host, port'],
  ['postgres://ada@db?sslrootcert=/nowhere/ca.pem', 'sslrootcert: /nowhere/ca.pem cannot be read (ENOENT)'],
  ['postgres://ada@db?sslmode=disable&sslrootcert=/nowhere/ca.pem', 'sslrootcert: /nowhere/ca.pem cannot be read'],
  [`postgres://ada@${Array(17).fill('db').join()}`, 'it names 17 hosts, and 16 may be tried'],
  ['postgres://ada:hu@sh@db', 'are to be written as %40'],
  ['postgres://ada:hu/sh@db', 'are to be written as %40'],
  ['postgres://ada:12/sh@db', 'are to be written as %40'],
  ['postgres://ada:hu?sslmode=sh@db', 'are to be written as %40'],
  ['postgres://ada:99999/sh@db', 'are to be written as %40'],
  ['postgres://ada:hu#sh@db', 'it is not of the form'],
]

test('each other address is refused with the part that is wrong', () => {
  for (const [url, message] of refused) expect([url, refusalOf(url)]).toEqual([url, expect.stringContaining(message)])
})

/** Everything that has a meaning in an address, and some that has none. */
const symbol = fc.constantFrom(
  ...'@:/?#%,[]=&+ '.split(''),
  'sslmode=',
  'host=',
  'port=',
  '99999',
  '%',
  '%00',
  '\0',
  'é',
  '🔑',
)

test('whatever is written, an address is read or refused in words', () => {
  const parts = fc.oneof(
    symbol,
    fc.constantFrom('postgres://', 'ada', 'db', '/keys', '5432', '?'),
    fc.string({ unit: 'binary' }),
  )
  const written = fc.array(parts, { maxLength: 12 }).map((all) => all.join(''))
  const near = fc.constantFrom(...refused).chain(([url]) => written.map((more) => `${url}${more}`))
  fc.assert(
    fc.property(
      fc.oneof(
        written,
        near,
        written.map((rest) => `postgres://ada@${rest}`),
      ),
      (url) => {
        expect(refusalOf(url)?.length ?? 1).toBeGreaterThan(0)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a password that was not encoded is in no message, nor is a part of it, and not in what is accepted', () => {
  // Words that no message of ours holds.
  const secret = fc.constantFrom('Qq7Zx', 'Vv3Kj', '73519', 'Ww9Xy')
  const password = fc.array(fc.oneof(secret, symbol), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      password,
      fc.constantFrom('db', 'db:5432/keys', '/keys?host=/run', 'db?sslmode=disable'),
      (word, rest) => {
        const fragments = word.match(/Qq7Zx|Vv3Kj|73519|Ww9Xy/g) ?? []
        const url = `postgres://ada:${word}@${rest}`
        let told = ''
        try {
          const { password: taken, ...shown } = readDatabaseUrl(url)
          expect(fragments.every((fragment) => taken?.includes(fragment))).toBe(true)
          told = inspect(shown)
        } catch (error) {
          told = inspect(error)
        }
        expect(fragments.filter((fragment) => told.includes(fragment))).toEqual([])
      },
    ),
    { numRuns: 2_000 },
  )
})
