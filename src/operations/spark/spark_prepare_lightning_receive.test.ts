import { describe, expect, test } from 'vitest'
import {
  newOperators,
  openedByAll,
  paymentHashOf,
  recipientsOf,
  sparkAccount,
} from '../../../test/support/operators.ts'
import {
  absentId,
  expectRefused,
  newAccount,
  newPrivateKey,
  type Parameters,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'
import { rebuiltFrom, subsets, verifyShare } from '../../../test/support/shares.ts'

const name = 'spark_prepare_lightning_receive'
const { server, submit, done, anotherUser } = await startOrganization()

const accounts = [
  sparkAccount(),
  { ...sparkAccount(), addressFormat: 'ADDRESS_FORMAT_SPARK_REGTEST' },
  newAccount(),
  { ...sparkAccount(), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' },
]
const { addresses } = await done('create_wallet', { walletName: 'wallet', accounts })
const [mainnet, regtest, ethereum, compressed] = addresses
const privateKeys = [newPrivateKey({ addressFormats: ['ADDRESS_FORMAT_SPARK_MAINNET', 'ADDRESS_FORMAT_ETHEREUM'] })]
const [privateKey] = (await done('create_private_keys', { privateKeys })).privateKeys
const [ofPrivateKey, ethereumOfPrivateKey] = privateKey.addresses.map(({ address }: { address: string }) => address)

const operators = newOperators(3)
const given = (parameters: Parameters = {}, lightningReceive: Parameters = {}) => ({
  signWith: mainnet,
  lightningReceive: { threshold: 2, operatorRecipients: recipientsOf(operators), ...lightningReceive },
  ...parameters,
})

test('any two of three operators can restore the preimage of the payment hash, one cannot', async () => {
  const { operatorPackages, paymentHash, ...rest } = await done(name, given())
  expect(rest).toStrictEqual({})
  expect(paymentHash).toMatch(/^[0-9a-f]{64}$/)
  expect(operatorPackages).toStrictEqual(
    operators.map(({ operatorId }) => ({ operatorId, encryptedPackage: expect.stringMatching(/^04[0-9a-f]{400}$/) })),
  )
  const points = openedByAll(operators, operatorPackages)
  for (const point of points) expect(verifyShare(point)).toBe(true)
  for (const subset of subsets(points, 2)) expect(paymentHashOf(rebuiltFrom(subset))).toBe(paymentHash)
  for (const subset of subsets(points, 1)) expect(paymentHashOf(rebuiltFrom(subset))).not.toBe(paymentHash)
})

test('the Spark address of a wallet or private key names it, on either network and in capitals', async () => {
  for (const signWith of [mainnet, regtest, mainnet.toUpperCase(), ofPrivateKey]) {
    expect((await done(name, given({ signWith }))).operatorPackages).toHaveLength(3)
  }
})

test('any text may be an operator id, and it is returned unchanged', async () => {
  const ids = ['0197C1F0-0000-7000-8000-00000000000A', ' ', '☕'.repeat(256)]
  const operatorRecipients = recipientsOf(operators).map((operator, index) => ({ ...operator, operatorId: ids[index] }))
  const { operatorPackages } = await done(name, given({}, { operatorRecipients }))
  expect(operatorPackages.map(({ operatorId }: { operatorId: string }) => operatorId)).toEqual(ids)
})

test('every preimage is fresh', async () => {
  const [first, second] = [await done(name, given()), await done(name, given())]
  expect(first.paymentHash).not.toBe(second.paymentHash)
})

test('from 2 to 64 operators are accepted', async () => {
  const many = recipientsOf(newOperators(65))
  const among = (count: number, threshold: number) =>
    submit(name, given({}, { threshold, operatorRecipients: many.slice(0, count) }))
  expect((await among(64, 64)).status).toBe(200)
  expect((await among(2, 2)).status).toBe(200)
  const at = 'parameters.lightningReceive.operatorRecipients must be a list of 2 to 64'
  expectRefused(await among(65, 2), 400, at)
  expectRefused(await among(1, 2), 400, at)
  expectRefused(await among(0, 2), 400, at)
})

/** There is no y for this x. */
const badPoint = `02${'00'.repeat(31)}05`

describe('invalid requests are refused with 400 and the field', () => {
  const good = recipientsOf(operators)
  const last = (changes: Parameters) => [...good.slice(0, 2), { ...good[2], ...changes }]
  const key = 'parameters.lightningReceive.operatorRecipients[2].encryptionPublicKey must be a compressed public key'
  const id = 'parameters.lightningReceive.operatorRecipients[2].operatorId must be'
  const address = 'parameters.signWith must be an address of the format ADDRESS_FORMAT_SPARK_MAINNET or'
  const threshold = 'parameters.lightningReceive.threshold must be a whole number from 2 to the number of'

  for (const [claim, parameters, text] of [
    ['an Ethereum address', given({ signWith: ethereum }), address],
    ['the public key of a Spark account', given({ signWith: compressed }), address],
    ['another address of a private key that has a Spark address', given({ signWith: ethereumOfPrivateKey }), address],
    ['the id of a private key that has a Spark address', given({ signWith: privateKey.privateKeyId }), address],
    ['no address', given({ signWith: '' }), 'parameters.signWith must be'],
    ['a threshold of 1', given({}, { threshold: 1 }), threshold],
    ['a threshold above the number of operators', given({}, { threshold: 4 }), threshold],
    ['a threshold of 2.5', given({}, { threshold: 2.5 }), threshold],
    ['a threshold as a text', given({}, { threshold: '2' }), threshold],
    ['an id twice', given({}, { operatorRecipients: last({ operatorId: good[0]?.operatorId }) }), id],
    ['an empty id', given({}, { operatorRecipients: last({ operatorId: '' }) }), id],
    ['an id of 257 characters', given({}, { operatorRecipients: last({ operatorId: 'x'.repeat(257) }) }), id],
    ['a point off the curve', given({}, { operatorRecipients: last({ encryptionPublicKey: badPoint }) }), key],
    ['an uncompressed point', given({}, { operatorRecipients: last({ encryptionPublicKey: '04'.repeat(65) }) }), key],
    ['a text that is not hex', given({}, { operatorRecipients: last({ encryptionPublicKey: 'x'.repeat(66) }) }), key],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit(name, parameters), 400, text)
    })
  }
})

test('invalid operators are refused before the wallet is looked up', async () => {
  const answer = await submit(name, given({ signWith: 'spark1nothing' }, { threshold: 4 }))
  expectRefused(answer, 400, 'parameters.lightningReceive.threshold')
})

test('an unknown address or id is 404, also if another organization has it', async () => {
  const other = await startOrganization()
  const made = await other.done('create_wallet', { walletName: 'wallet', accounts: [sparkAccount()] })
  for (const signWith of ['spark1nothing', absentId, made.addresses[0]]) {
    expectRefused(await submit(name, given({ signWith })), 404, 'Could not find any resource to sign with.')
  }
})

test('a user without a rule that allows it is refused', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit(name, given(), { apiKey }), 403)
})

test('simultaneous calls all succeed, because none changes a record', async () => {
  const answers = await Promise.all(repeated(8, () => submit(name, given())))
  expect(answers.map(({ status }) => status)).toEqual(repeated(8, () => 200))
  const hashes = answers.map(({ body }) => body.activity.result.sparkPrepareLightningReceiveResult.paymentHash)
  expect(new Set(hashes).size).toBe(8)
  expect(server.incidents).toEqual([])
})
