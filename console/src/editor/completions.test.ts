import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type KnownNames, suggestionsAfter } from './completions.ts'
import { codeParts, problemIn } from './expressions.ts'

const names: KnownNames = {
  users: [{ id: 'u-1', name: 'Ada' }],
  userTags: [{ id: 't-1', name: 'Treasury' }],
  wallets: [{ id: 'w-1', name: 'Cold' }],
  privateKeys: [],
  controls: [{ id: 'daily', name: 'daily ether' }],
}
const condition = (text: string) => suggestionsAfter(text, { kind: 'condition', names })
const consensus = (text: string) => suggestionsAfter(text, { kind: 'consensus', names })
const labels = (found: ReturnType<typeof condition>) => found?.options.map(({ label }) => label)

describe('a text is completed', () => {
  test.for([
    ['', 'eth'],
    ['eth.', 'tx'],
    ['eth.tx.value > 5 && eth.tx.va', 'value'],
    ['bitcoin.tx.outputs.all(out, out.', 'script_pubkey'],
    ['bitcoin.tx.outputs[0].', 'address'],
    ['bitcoin.tx.outputs[0..2].', 'count'],
    ['solana.tx.instructions.any(each, each.accounts.filter(one, one.signer).', 'any'],
    ['solana.tx.instructions.any(each, each.accounts.any(one, ', 'each'],
    ["activity.action == '", 'SIGN'],
    ["activity.kind in ['SIGN_TRANSACTION', '", 'CREATE_WALLET'],
    ["wallet.id == '", 'w-1'],
    ['controls.', 'daily'],
    ['eth.tx.to ', 'in'],
    ['spe', 'spent'],
  ])('condition: %s may go on with %s', ([text, label]) => {
    expect(labels(condition(text))).toContain(label)
  })

  test.for([
    ['approvers.filter(user, user.', 'tags'],
    ["approvers.any(user, user.id == '", 'u-1'],
    ["approvers.filter(user, user.tags.contains('", 't-1'],
    ["credentials.any(used, used.user_id == '", 'u-1'],
  ])('consensus: %s may go on with %s', ([text, label]) => {
    expect(labels(consensus(text))).toContain(label)
  })

  test('behind the word that is there', () => {
    expect(condition('eth.tx.va')?.from).toBe(7)
    expect(condition("wallet.id == 'w")?.from).toBe(14)
  })

  test.for(['eth.tx.to.', 'eth.nothing.', "'text'.", 'eth = ', "secret.static_properties['", '5'])(
    'with nothing where nothing is known: %s',
    (text) => expect(condition(text)).toBeUndefined(),
  )

  test('not with the variable of a test that is closed', () => {
    expect(labels(consensus('approvers.any(user, true) && '))).not.toContain('user')
  })
})

describe('a problem', () => {
  test.for([
    ['eth.tx.valu <= 5', 7, 11],
    ['eth.tx.value = 5', 13, 14],
    ["activity.action == 'SIGNING'", 19, 28],
    ["eth.tx.nonce == 1 && eth.tx.to != '0x12'", 34, 40],
    ['eth.tx.value ==', 15, 15],
  ] as const)('of %s is from %i to %i', ([text, start, end]) => {
    expect(problemIn(text, { kind: 'condition' })).toMatchObject({ start, end })
  })

  test.for(['controls.daily', "spent('eth.tx.value', '24h') < 5"])('of %s is for MFA policies only', (text) => {
    expect(problemIn(text, { kind: 'condition' })).toBeUndefined()
    expect(problemIn(text, { kind: 'condition', isStateless: true })).toMatchObject({ start: 0 })
  })

  test('is that a text is longer than the server takes', () => {
    expect(problemIn('1 '.padEnd(5_001), { kind: 'condition' })?.message).toContain('5000')
  })
})

test('any text has suggestions, parts and a problem or none, within the text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('eth', '.', 'tx', '(', ')', '[', ']', "'", 'any', 'x', ',', '==', ' ', '..', 'in', '1'))
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (given) => {
      const found = condition(given)
      if (found !== undefined) expect(found.from).toBeLessThanOrEqual(given.length)
      const problem = problemIn(given, { kind: 'condition' })
      if (problem !== undefined) expect(problem.end).toBeLessThanOrEqual(given.length)
      let end = 0
      for (const part of codeParts(given, 'condition')) {
        expect(part.start).toBeGreaterThanOrEqual(end)
        end = part.end
      }
    }),
  )
})

/** Read anew at each letter, half a million took minutes. */
test('a long word before a blank is read once', () => {
  expect(condition(`${'a'.repeat(500_000)} `)?.from).toBe(500_001)
})
