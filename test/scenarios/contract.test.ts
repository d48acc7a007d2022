import { describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { expectRefused, newAccount, newPrivateKey } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { neverFound, prepareRequests } from '../support/valid_requests.ts'
import { differencesFrom, type Form, faultsOf, type WireOperation, wireNames } from '../support/wire_forms.ts'

/**
 * The interface of three operations, written down by hand from its specification and from nothing of ours: when a name
 * changes in the code, this table does not.
 */
const curves = ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256']
const timestamp = { seconds: 'string', nanos: 'string' }
const bitcoinNetworks = ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST']
const addressFormats = [
  ...['UNCOMPRESSED', 'COMPRESSED', 'ETHEREUM', 'SOLANA', 'COSMOS', 'TRON', 'SUI', 'APTOS'],
  ...bitcoinNetworks.flatMap((network) =>
    ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'].map((kind) => `BITCOIN_${network}_${kind}`),
  ),
  ...['SEI', 'XLM', 'DOGE_MAINNET', 'DOGE_TESTNET', 'TON_V3R2', 'TON_V4R2', 'TON_V5R1', 'XRP'],
  ...['SPARK_MAINNET', 'SPARK_REGTEST'],
].map((name) => `ADDRESS_FORMAT_${name}`)

const interfaceOperations: Readonly<Record<string, WireOperation>> = {
  list_wallet_accounts: {
    path: '/public/v1/query/list_wallet_accounts',
    kind: 'query',
    parameters: {
      organizationId: 'string',
      'walletId?': 'string',
      'includeWalletDetails?': 'boolean',
      'paginationOptions?': { 'limit?': 'string', 'before?': 'string', 'after?': 'string' },
    },
    result: {
      accounts: [
        {
          walletAccountId: 'string',
          organizationId: 'string',
          walletId: 'string',
          curve: 'Curve',
          pathFormat: 'PathFormat',
          path: 'string',
          addressFormat: 'AddressFormat',
          address: 'string',
          createdAt: timestamp,
          updatedAt: timestamp,
          'publicKey?': 'string',
          'walletDetails?': {
            walletId: 'string',
            walletName: 'string',
            createdAt: timestamp,
            updatedAt: timestamp,
            exported: 'boolean',
            imported: 'boolean',
          },
          'name?': 'string',
        },
      ],
    },
  },
  get_private_key: {
    path: '/public/v1/query/get_private_key',
    kind: 'query',
    parameters: { organizationId: 'string', privateKeyId: 'string' },
    result: {
      privateKey: {
        privateKeyId: 'string',
        publicKey: 'string',
        privateKeyName: 'string',
        curve: 'Curve',
        addresses: [{ 'format?': 'AddressFormat', 'address?': 'string' }],
        privateKeyTags: ['string'],
        createdAt: timestamp,
        updatedAt: timestamp,
        exported: 'boolean',
        imported: 'boolean',
      },
    },
  },
  update_organization_name: {
    path: '/public/v1/submit/update_organization_name',
    kind: 'activity',
    types: ['ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME'],
    intentKey: 'updateOrganizationNameIntent',
    resultKey: 'updateOrganizationNameResult',
    policy: 'rootQuorumOnly',
    parameters: { organizationName: 'string' },
    result: { organizationId: 'string', organizationName: 'string' },
  },
}
const activity: Form = {
  id: 'string',
  organizationId: 'string',
  status: 'string',
  type: 'string',
  intent: { updateOrganizationNameIntent: { organizationName: 'string' } },
  result: { updateOrganizationNameResult: { organizationId: 'string', organizationName: 'string' } },
  votes: ['Activity'],
  fingerprint: 'string',
  canApprove: 'boolean',
  canReject: 'boolean',
  createdAt: 'string',
  updatedAt: 'string',
  'failure?': 'Activity',
}

function ours(name: string) {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found
}

function wireOf(name: string): WireOperation {
  const wire = wireNames.operations[name]
  if (wire === undefined) throw new Error(`${name} is not in test/vectors/wire_names.json`)
  return wire
}

/** The answer of a vote is the activity that was voted on. */
function isVote(name: string): boolean {
  const operation = ours(name)
  return operation.kind === 'activity' && operation.casts !== undefined
}

/** Path, types, keys and fields of an operation, each where it is not as it should be. */
function differences(name: string, wire: WireOperation): readonly string[] {
  const operation = ours(name)
  const facts: [string, unknown, unknown][] = [
    ['path', operation.path, wire.path],
    ['kind', operation.kind, wire.kind],
  ]
  if (operation.kind === 'activity') {
    const [newest] = operation.types
    facts.push(['types', operation.types.map(({ type }) => type).join(), wire.types?.join()])
    facts.push(['intent key', newest?.intentKey, wire.intentKey])
    if (!isVote(name)) facts.push(['result key', newest?.resultKey, wire.resultKey])
    // Where the interface publishes no resource and action, ours are our own.
    const published = JSON.stringify(wire.policy)
    if (!published.includes('null')) facts.push(['policy', JSON.stringify(operation.policy), published])
  }
  const parameters = operation.kind === 'query' ? operation.parameters : (operation.types[0]?.parameters ?? {})
  return [
    ...facts.filter(([, actual, expected]) => actual !== expected).map(([fact, actual]) => `${fact} is ${actual}`),
    ...differencesFrom(parameters, wire.parameters, 'parameters', 'parameters'),
    ...differencesFrom(operation.result, wire.result, 'result', 'result'),
  ]
}

describe('the operations of the specification', () => {
  for (const [name, wire] of Object.entries(interfaceOperations)) {
    test(`${name} is what the specification says`, () => {
      expect(differences(name, wire)).toEqual([])
    })
  }

  test('the values of the enums are those of the specification', () => {
    expect(new Set(wireNames.enums.Curve)).toEqual(new Set(curves))
    expect(wireNames.enums.PathFormat).toEqual(['PATH_FORMAT_BIP32'])
    expect(addressFormats).toHaveLength(38)
    expect(new Set(wireNames.enums.AddressFormat)).toEqual(new Set(addressFormats))
  })
})

describe('the operations on the wire', () => {
  for (const { name } of operations) {
    test(`${name} has the names of the vectors`, () => {
      expect(differences(name, wireOf(name))).toEqual([])
    })
  }
})

describe('answers', async () => {
  const organization = await startOrganizationWithIssuer()
  const { query, submit, done, found } = organization
  const requests = await prepareRequests(organization)

  for (const name of requests.names) {
    test(`${name} answers in its form`, async () => {
      const wire = wireOf(name)
      const parameters = requests.parametersOf(name)
      const ask = { apiKey: requests.signerOf(name) }
      const answer = wire.kind === 'query' ? await query(name, parameters) : await submit(name, parameters, ask)
      if (neverFound.includes(name)) return expectRefused(answer, 404)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      if (wire.kind === 'query') {
        expect(faultsOf(answer.body, wire.result)).toEqual([])
        return
      }
      const { activity } = answer.body
      if (isVote(name)) {
        expect(activity.fingerprint).toBe(parameters.fingerprint)
        return
      }
      expect(activity.type).toBe(wire.types?.[0])
      expect(activity.intent).toStrictEqual({ [wire.intentKey ?? '']: parameters })
      expect(Object.keys(activity.result)).toEqual([wire.resultKey])
      expect(faultsOf(activity.result, { [wire.resultKey ?? '']: wire.result })).toEqual([])
    })
  }

  test('the three of the specification answer in the form written down here', async () => {
    const forms = (name: string) => interfaceOperations[name]?.result ?? {}
    const { walletId } = await done('create_wallet', {
      walletName: 'w',
      accounts: [newAccount(), newAccount({ path: 'm', name: 'n' })],
    })
    const accounts = await found('list_wallet_accounts', { walletId, includeWalletDetails: true })
    expect(accounts.accounts).toHaveLength(2)
    expect(faultsOf(accounts, forms('list_wallet_accounts'))).toEqual([])

    const privateKeys = [
      newPrivateKey({
        privateKeyName: 'with addresses',
        addressFormats: ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_COMPRESSED'],
      }),
    ]
    const [{ privateKeyId }] = (await done('create_private_keys', { privateKeys })).privateKeys
    expect(faultsOf(await found('get_private_key', { privateKeyId }), forms('get_private_key'))).toEqual([])

    const renamed = await submit('update_organization_name', { organizationName: 'Renamed' })
    expect(faultsOf(renamed.body, { activity })).toEqual([])
    expect(renamed.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })
})
