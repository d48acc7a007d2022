import { expect, test } from 'vitest'
import { finished } from '../../protocol/tools/steps.ts'
import { compileConsensus } from '../decision/policy_expressions.ts'
import { forAdders, heldBy, withAdded } from './added_credentials.ts'
import { holdsForOne, holdsForStrangers } from './always_holds.ts'

const [bob, eve] = ['00000000-0000-4000-8000-00000000000b', '00000000-0000-4000-8000-00000000000e']
const ofEve = `02${'ee'.repeat(32)}`
const key = `03${'79'.repeat(32)}`
const decoys = Array.from({ length: 40 }, (_, index) => `02${String(index).padStart(64, '0')}`)

const passkey = 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'

/** Both with one passkey. */
const users = [
  [bob, 'Bob', `a5${'bb'.repeat(40)}`],
  [eve, 'Eve', ofEve],
].map(([userId = '', alias, publicKey]) => {
  const credential = { id: `${userId}c`, user_id: userId, type: passkey, credential_id: `${userId}p` }
  const approvers = [{ id: userId, alias, tags: [], email: '' }]
  return { userId, ways: [{ approvers, credentials: [{ ...credential, public_key: publicKey }] }] }
})

function ableBy(text: string) {
  const consensus = compileConsensus(text)
  const candidates = withAdded(consensus, users)
  const { able, untold } = finished(
    holdsForOne(forAdders(consensus, finished(heldBy(users)), { isNamed: true }), candidates),
  )
  expect(untold).toEqual([])
  return able.map(({ userId }) => userId)
}

const noDecoy = decoys.map((one) => `c.public_key != '${one}'`).join(' && ')

test.each([
  "credentials.any(c, c.public_key[2..4] == 'ab')",
  "credentials.any(c, c.public_key[3..4] == 'b' || c.public_key[3..4] == 'c')",
  "credentials.any(c, c.public_key[2] == 'a' && c.public_key[5] == 'b')",
  "credentials.any(c, c.public_key[2..4] in ['ab', 'cd'])",
  "credentials.any(c, c.public_key[0..4] == '02ab')",
  "credentials.any(c, c.id[35..36] in ['e', 'f'])",
  "credentials.any(c, c.id[0..8] != 'aaaaaaaa')",
  "credentials.any(c, c.credential_id[3..4] == 'a')",
  "credentials.any(c, c.credential_id == '')",
  "credentials[0].public_key[2..4] == 'ab'",
  "!credentials.all(c, c.public_key[2..4] != 'ab')",
  "!credentials.any(c, c.public_key[2..4] != 'ab')",
  "credentials.any(c, (c.public_key[2..4] == 'ab') == true)",
  "credentials.filter(c, c.public_key[2..4] == 'ab').count() >= 1",
  "credentials.filter(c, c.public_key[2..4] == 'ab').count() == 3",
  "1 < credentials.filter(c, c.public_key[2..4] == 'ab').count()",
  "credentials.filter(c, c.public_key[2..4] == 'ab').any(c, c.type != 'CREDENTIAL_TYPE_LOGIN')",
  "approvers.filter(u, credentials.any(c, c.user_id == u.id && c.public_key[2..3] == '1' && c.public_key[3..4] == '2')).count() >= 1",
  'credentials.any(c, approvers.any(u, u.id == c.user_id && c.id[35] == c.public_key[2]))',
  `credentials.any(c, c.public_key == '${key}')`,
  `credentials.any(c, ${noDecoy} && c.public_key == '${key}')`,
  `credentials.all(c, ${noDecoy} && c.public_key == '${key}')`,
  `credentials.any(c, c.public_key == '${key}') && credentials.any(c, c.public_key == '${decoys[0]}') && !credentials.any(c, c.public_key == '${decoys[1]}')`,
  `['${key}', '${decoys[0]}'].all(k, credentials.any(c, c.public_key == k))`,
  'credentials.count() == 2',
  'credentials.count() >= 30',
  'credentials.count() >= 3000',
  'credentials.count() >= 3 + 3',
  'credentials.count() == 30 + 30',
  'credentials.count() + 1 >= (3 + 2) + 1',
  'credentials.count() + -30 >= 30',
  'credentials.count() >= 150 + 150',
  "20 + 20 <= credentials.count() + credentials.filter(c, c.type != 'CREDENTIAL_TYPE_LOGIN').count()",
  '[20].any(n, credentials.count() >= n + n)',
  'approvers.any(u, credentials.filter(c, c.user_id == u.id).count() >= 20 + 20)',
  `credentials.any(c, c.type != '${passkey}')`,
  `credentials.any(c, c.type != '${passkey}' && c.type != 'CREDENTIAL_TYPE_API_KEY_P256')`,
  "credentials.any(c, c.type == 'CREDENTIAL_TYPE_API_KEY_ED25519') && credentials.any(c, c.type == 'CREDENTIAL_TYPE_API_KEY_P256')",
  "credentials.any(c, c.type[16..23] == 'API_KEY')",
  "approvers.any(u, u.alias[5..6] == 'z')",
  "approvers.any(u, u.tags.any(t, t == '00000000-0000-4000-8000-0000000000ff'))",
])('everybody fulfils it alone, after adding credentials: %s', (text) => {
  expect(ableBy(text)).toEqual([bob, eve])
})

test.each([
  [`credentials.any(c, c.public_key == '${ofEve}')`, [eve]],
  [`credentials.any(c, c.public_key == '${ofEve}' && c.public_key[2] == 'e')`, [eve]],
  [`credentials.any(c, c.public_key[2..4] == 'ab' && c.user_id == '${bob}')`, [bob]],
  [`approvers.any(u, u.id == '${bob}') && credentials.any(c, c.public_key == '${key}')`, [bob]],
  [`['${ofEve}'].all(k, credentials.any(c, c.public_key == k))`, [eve]],
  [`credentials.filter(c, c.user_id == '${eve}').count() >= 2`, [eve]],
  [`credentials.filter(c, c.user_id == '${eve}').count() >= 30 + 30`, [eve]],
  ["approvers.any(u, u.alias == 'Bob')", [bob]],
  ["approvers.any(u, u.alias[0..2] == 'Bo')", [bob]],
  [`approvers.any(u, u.id == '${bob}') && approvers.any(u, u.id == '${eve}')`, []],
  [`approvers.filter(u, u.id in ['${bob}', '${eve}']).count() >= 2`, []],
  ["approvers.count() == 2 && credentials.any(c, c.public_key[2..4] == 'ab')", []],
  [`credentials.any(c, c.user_id == '${bob}') && credentials.any(c, c.user_id == '${eve}')`, []],
  ["approvers.filter(u, credentials.any(c, c.user_id == u.id && c.public_key[2..3] == '1')).count() >= 2", []],
])('only these fulfil it alone: %s', (text, expected) => {
  expect(ableBy(text)).toEqual(expected)
})

function heldByStrangers(text: string, most: number) {
  return finished(
    holdsForStrangers(forAdders(compileConsensus(text), finished(heldBy(users)), { isNamed: false }), most),
  )
}

test.each([
  ['approvers.count() >= 2', 2],
  ['approvers.count() == 99', 100],
  ['approvers.count() >= 150', 200],
  ['approvers.count() >= 60 + 60', 200],
  ['approvers.count() == 60 + 60', 200],
  ['approvers.count() + 60 == 200', 200],
  ['approvers.count() + -60 == 60', 200],
  ['approvers.count() in [60 + 60, 2000]', 200],
  ['approvers.count() + approvers.count() == 240', 200],
  ['[60].any(n, approvers.count() >= n + n)', 200],
  ["approvers.filter(u, credentials.any(c, c.user_id == u.id && c.public_key[2..3] == '1')).count() >= 2", 2],
  [`credentials.filter(c, c.type == '${passkey}').count() > 1 && credentials.any(c, c.type != '${passkey}')`, 3],
])('any users fulfil it, if enough approve: %s', (text, most) => {
  expect(heldByStrangers(text, most)).toBe(true)
})

test.each([
  [`approvers.filter(u, u.id in ['${bob}', '${eve}']).count() >= 2`, 300],
  [`approvers.filter(u, u.tags.contains('${eve}')).count() >= 2`, 300],
  ['approvers.count() >= 3', 2],
  ['approvers.count() >= 1 + 2', 2],
])('no users fulfil it of whom it names nothing: %s', (text, most) => {
  expect(heldByStrangers(text, most)).toBe(false)
})

test('of a consensus that is too long to try, nobody can tell who fulfils it', () => {
  const nested = Array.from({ length: 5 }, (_, index) => `credentials.all(c${index}, `).join('')
  const text = `credentials.count() == 199 && !${nested}c0.id != c4.id${')'.repeat(5)}`
  const consensus = compileConsensus(text)
  const { able, untold } = finished(holdsForOne(consensus, withAdded(consensus, users)))
  expect([able, untold.length]).toEqual([[], 2])
  expect(finished(holdsForStrangers(consensus, 200))).toBeUndefined()
})

test('the numbers of strangers that are tried are steps of their own', () => {
  const steps = [...holdsForStrangers(compileConsensus('approvers.count() == 200'), 100)]
  expect(steps).toHaveLength(99)
})

test('a piece of a name that only keys have is one that somebody may get', () => {
  expect(ableBy("approvers.any(u, u.alias[0..2] == 'Bo')")).toEqual([bob])
  expect(ableBy("approvers.any(u, u.alias[0..2] == 'bb')")).toEqual([bob, eve])
})

test('what users hold is read in a step for each, and each piece is looked for once', () => {
  let looks = 0
  const alias = {
    get alias() {
      looks += 1
      return 'Bob'
    },
  }
  const many = Array.from({ length: 50 }, () => ({ ways: [{ approvers: [alias], credentials: [] }] }))
  const steps = [...heldBy(many)]
  expect([steps.length, looks]).toEqual([50, 50])
})
