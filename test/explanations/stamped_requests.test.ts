import { hexToBytes } from '@noble/hashes/utils.js'
import { toPrefixedMessage } from 'viem'
import { expect, test } from 'vitest'
import { derOfEcdsaSignature } from '../../src/protocol/crypto/der.ts'
import { explaining, warningsOf } from '../support/explanations.ts'
import { absentId, newApiKey, newPrivateKey, startOrganization } from '../support/organization.ts'

/** A signed text may be the body of a request to a server like this one. Its signature is the stamp of that request. */

const organization = await startOrganization()
const { clock, done, found, organizationId, rootUserId, server } = organization
const explain = explaining(organization)

async function keyOn(curve: string): Promise<{ readonly signWith: string; readonly publicKey: string }> {
  const made = await done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: curve, curve })] })
  const signWith = String(made.privateKeys[0].privateKeyId)
  const { privateKey } = await found('get_private_key', { privateKeyId: signWith })
  return { signWith, publicKey: String(privateKey.publicKey) }
}

const keys = {
  SECP256K1: await keyOn('CURVE_SECP256K1'),
  P256: await keyOn('CURVE_P256'),
  ED25519: await keyOn('CURVE_ED25519'),
}
for (const [curve, { publicKey }] of Object.entries(keys)) {
  const apiKeys = [newApiKey({ apiKeyName: curve, publicKey, curveType: `API_KEY_CURVE_${curve}` })]
  await done('create_api_keys', { userId: rootUserId, apiKeys })
}

const bodyOf = (type: string, parameters: object) =>
  JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId, parameters })

const signed = (text: string, { signWith }: { readonly signWith: string }, hash: string) => ({
  signWith,
  payload: Buffer.from(text).toString('hex'),
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: `HASH_FUNCTION_${hash}`,
})

const prefixed = (text: string) => Buffer.from(toPrefixedMessage(text).slice(2), 'hex').toString()

test.each([
  ['SIGNATURE_SCHEME_TK_API_SECP256K1', keys.SECP256K1, 'SHA256', (text: string) => text],
  ['SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191', keys.SECP256K1, 'KECCAK256', prefixed],
  ['SIGNATURE_SCHEME_TK_API_P256', keys.P256, 'SHA256', (text: string) => text],
  ['SIGNATURE_SCHEME_TK_API_ED25519', keys.ED25519, 'NOT_APPLICABLE', (text: string) => text],
])('a payload whose signature stamps a request says so first (%s)', async (scheme, key, hash, toPayload) => {
  const body = bodyOf('ACTIVITY_TYPE_CREATE_POLICY_V3', {
    ...{ policyName: scheme, effect: 'EFFECT_ALLOW', condition: 'true', consensus: 'true', notes: '' },
  })
  const { explanation, lines, result } = await explain('sign_raw_payload', signed(toPayload(body), key, hash))
  const rs = hexToBytes(`${result.r}${result.s}`)
  const signature = Buffer.from(scheme.endsWith('ED25519') ? rs : derOfEcdsaSignature(rs)).toString('hex')
  const stamp = Buffer.from(JSON.stringify({ publicKey: key.publicKey, scheme, signature })).toString('base64url')
  const { status } = await server.submit({
    path: '/public/v1/submit/create_policy',
    body: Buffer.from(body),
    stamps: [{ header: 'x-stamp', value: stamp }],
    dialect: 'spec',
    sourceAddress: '127.0.0.1',
  })
  expect(status).toBe(200)
  expect(warningsOf(explanation)).toEqual(['isRequest'])
  expect(lines[0]).toBe(
    'WARNING: this is a request to a server like this one (create policy in this organization), and whoever has the signature can send it if the key is one of a user there. Sign a payload',
  )
})

test('it stands first among the warnings of a payload, and of several payloads', async () => {
  const body = bodyOf('ACTIVITY_TYPE_UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [absentId] })
  const order = JSON.stringify({ organizationId: absentId, amount: '5', to: 'bob' })
  const one = await explain('sign_raw_payload', signed(order, keys.SECP256K1, 'SHA256'))
  expect(warningsOf(one.explanation)).toEqual(['isRequest', 'mayBeTransaction'])
  expect(one.lines[0]).toContain(`(any query in “${absentId}”)`)
  const { lines } = await explain('sign_raw_payloads', {
    ...{ signWith: keys.SECP256K1.signWith, payloads: ['Hello', '{"to":"bob","amount":5}', body] },
    ...{ encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' },
  })
  expect(lines[0]).toMatch(
    /^WARNING: payload 3 of 3: this is a request to a server like this one \(update root quorum /,
  )
})

test('a body that nobody can read, and one that another chain may take, say it too', async () => {
  const hidden = JSON.stringify({ organizationId, note: '\ue000' })
  const { explanation } = await explain('sign_raw_payload', signed(hidden, keys.ED25519, 'NOT_APPLICABLE'))
  expect(warningsOf(explanation)).toEqual(['isRequest', 'unknownMeaning'])
  const cosmos = { account_number: '1', chain_id: 'c', fee: {}, memo: '', msgs: [], sequence: '1' }
  const both = JSON.stringify({ ...cosmos, organizationId })
  const read = await explain('sign_raw_payload', signed(both, keys.SECP256K1, 'SHA256'))
  expect(warningsOf(read.explanation)[0]).toBe('isRequest')
})
