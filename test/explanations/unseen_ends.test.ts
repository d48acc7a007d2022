import { expect, test } from 'vitest'
import type { Explanation } from '../../src/contract/explanation/explanation.ts'
import { explaining, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, newPrivateKey, startOrganization } from '../support/organization.ts'

/** Texts whose end stands so far below their beginning that a reader may not see it beside the button that approves. */

const organization = await startOrganization()
const { done, anotherUser } = organization
const explain = explaining(organization)
const { userId } = await anotherUser()
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const signWith = addresses[0]

const gaps = [
  ['line breaks', '\n'.repeat(4_700), '⟨4,700 line breaks⟩', ['4700', '0']],
  ['blanks', ' '.repeat(4_700), '⟨4,700 blanks⟩', ['0', '4700']],
  ['tabs', '\t'.repeat(2_000), '⟨2,000 blanks⟩', ['0', '2000']],
  ['lines of one blank', '\n '.repeat(2_000), '⟨2,000 line breaks and 2,000 blanks⟩', ['2000', '2000']],
] as const

const noteIn = (explanation: Pick<Explanation, 'sections'>, code: string) =>
  valuesAt(explanation, 'warnings', 'warning').find((value) => value.kind === 'note' && value.code === code)

test.for(gaps)('%s in an expression stand as their count beside what follows, and are a warning', async (row) => {
  const [kind, gap, shown, values] = row
  const name = { policyName: `Pay the shop: ${kind}`, effect: 'EFFECT_ALLOW', notes: '' }
  const consensus = `approvers.any(user, user.id == '${userId}')`
  const condition = `activity.action == 'SIGN'${gap}|| true`
  const ofPolicy = await explain('create_policy', { ...name, condition, consensus })
  const ofConsensus = await explain('create_policy', {
    ...{ ...name, policyName: `Pay others: ${kind}` },
    ...{ condition: "activity.action == 'SIGN'", consensus: `${consensus}${gap}|| true` },
  })
  const ofMfa = await explain('create_mfa_policy', {
    ...{ userId, mfaPolicyName: `Steps: ${kind}`, condition, order: 1, notes: '' },
    requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }],
  })
  const ofProfile = await explain('create_session_profile', {
    ...{ sessionProfileName: `Shop: ${kind}`, scope: condition, expirationSeconds: '900' },
  })
  for (const { explanation, lines } of [ofPolicy, ofConsensus, ofMfa, ofProfile]) {
    const line = lines.find((one) => one.includes(shown))
    expect(line).toContain(`${shown}|| true`)
    expect(noteIn(explanation, 'textGap')).toMatchObject({ values: values.map((number) => ({ number })) })
    expect(lines[0]).toContain('a text has a gap')
  }
})

test.for(gaps)('%s in a signed text stand as their count beside what follows, and are a warning', async (row) => {
  const [, gap, shown, values] = row
  const text = `Log in to shop.example. Nonce: 77${gap}I sell the house to Eve.`
  const personal = `\x19Ethereum Signed Message:\n${Buffer.byteLength(text)}${text}`
  const document = JSON.stringify({
    types: { EIP712Domain: [{ name: 'name', type: 'string' }], Login: [{ name: 'text', type: 'string' }] },
    ...{ primaryType: 'Login', domain: { name: 'Shop' }, message: { text: text.replace(gap, gap.slice(0, 600)) } },
  })
  for (const payload of [text, personal]) {
    const { explanation, lines } = await explain('sign_raw_payload', {
      ...{ signWith, payload, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' },
    })
    expect(lines.join('\n')).toContain(`Nonce: 77${shown}I sell the house to Eve.`)
    expect(noteIn(explanation, 'textGap')).toMatchObject({ values: values.map((number) => ({ number })) })
  }
  const typed = await explain('sign_raw_payload', {
    ...{ signWith, payload: document, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
  })
  expect(warningsOf(typed.explanation)).toContain('textGap')
  expect(typed.lines[0]).toContain('a text has a gap')
})

test('a name with a gap is a warning, and one without is none', async () => {
  expect(
    warningsOf((await explain('create_user_tag', { userTagName: 'Ada Lovelace', userIds: [] })).explanation),
  ).toEqual([])
  const { explanation, lines } = await explain('create_user_tag', {
    userTagName: `Ada${' '.repeat(200)}Lovelace`,
    userIds: [],
  })
  expect(warningsOf(explanation)).toEqual(['textGap'])
  expect(lines[0]).toContain('“Ada⟨200 blanks⟩Lovelace”')
})

test.for([
  ['many short lines', '.\n'.repeat(2_000), ['4000', '2001']],
  ['two line breaks again and again', 'a\n\n'.repeat(50), ['150', '101']],
  ['one line', 'Lorem ipsum. '.repeat(300), ['3900', '1']],
  ['wide characters', '東京'.repeat(1_000), ['2000', '1']],
  ['tabs, each as wide as eight letters', ' .\t\t\t\t\t\t'.repeat(100), ['800', '1']],
  ['blanks that are shown by their code points', ' .\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0'.repeat(100), ['800', '1']],
  ['soft hyphens, which are too', 'a\u00ad'.repeat(500), ['1000', '1']],
  ['quotes, which are too', '“'.repeat(1_000), ['1000', '1']],
  ['ligatures as wide as words', ' \ufdfd'.repeat(400), ['800', '1']],
])('a text of %s says how long it is', async ([, text = '', values = []]) => {
  const { explanation } = await explain('sign_raw_payload', {
    ...{ signWith, payload: text, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' },
  })
  expect(noteIn(explanation, 'longText')).toMatchObject({ values: [values].flat().map((number) => ({ number })) })
})

test('many texts that are long together say so', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `term${index}`)
  const typed = await explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify({
      types: { EIP712Domain: [], Terms: names.map((name) => ({ name, type: 'string' })) },
      ...{ primaryType: 'Terms', domain: {} },
      message: Object.fromEntries(names.map((name) => [name, 'I agree. '.repeat(100)])),
    }),
  })
  expect(noteIn(typed.explanation, 'longText')).toMatchObject({ values: [{ number: '9000' }, { number: '10' }] })
})

const typedData = (message: Readonly<Record<string, string>>) =>
  explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify({
      types: { EIP712Domain: [], Terms: Object.keys(message).map((name) => ({ name, type: 'string' })) },
      ...{ primaryType: 'Terms', domain: {}, message },
    }),
  })

test.for([
  ['of five rows', 39, 'I agree. '.repeat(33)],
  ['of two rows', 30, 'I agree. '.repeat(8)],
])('many texts %s say so, though each alone is short', async ([, count, term]) => {
  const terms = Array.from({ length: Number(count) }, (_, index) => [`term${index}`, String(term)])
  const { explanation } = await typedData({ ...Object.fromEntries(terms), buyer: 'I sell the house to Eve.' })
  expect(warningsOf(explanation)).toContain('longText')
})

test('a text that would just have room alone counts with the others', async () => {
  const term = 'I agree.\n'.repeat(45)
  expect(warningsOf((await typedData({ term })).explanation)).not.toContain('longText')
  expect(warningsOf((await typedData({ term, other: 'I agree.\n'.repeat(25) })).explanation)).toContain('longText')
})

test('tabs in an expression count as they are shown', async () => {
  const condition = `activity.action == 'SIGN'${'\t\t\t\t\t\t||\t\t\t\t\t\tfalse'.repeat(150)}`
  const { explanation } = await explain('create_policy', {
    ...{ policyName: 'Tabs', effect: 'EFFECT_ALLOW', condition, consensus: '', notes: '' },
  })
  expect(warningsOf(explanation)).toContain('longText')
})

test('names that the console folds are no long text', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `Wallet ${index}`)
  const { explanation } = await explain('create_private_keys', {
    privateKeys: names.map((privateKeyName) => newPrivateKey({ privateKeyName })),
  })
  expect(warningsOf(explanation)).not.toContain('longText')
})

test('a login of several paragraphs and an expression of several lines have no warning', async () => {
  const login = `shop.example wants you to sign in:\n\nI accept the terms.\n\nURI: https://shop.example\nNonce: 77`
  const { explanation } = await explain('sign_raw_payload', {
    ...{ signWith, payload: login, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' },
  })
  expect(warningsOf(explanation)).toEqual([])
  const condition = `activity.action == 'SIGN'\n  && eth.tx.data == '0x'\n\n  && eth.tx.to == '0x${'b2'.repeat(20)}'`
  const policy = await explain('create_policy', {
    ...{ policyName: 'Shop', effect: 'EFFECT_ALLOW', condition, consensus: '', notes: '' },
  })
  expect(warningsOf(policy.explanation)).not.toContain('textGap')
  expect(valuesAt(policy.explanation, 'changes', 'condition').map(plain)).toEqual([condition])
})
