import { expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { type Kind, kindOf } from '../../src/policy/openings/deeds.ts'

/** The kinds of all deeds. A new deed belongs here. */
const byDeed: Partial<Record<Kind, readonly string[]>> = {
  policies: ['POLICY CREATE', 'POLICY UPDATE', 'POLICY DELETE'],
  credentials: ['CREDENTIAL CREATE', 'CREDENTIAL DELETE', 'OTP CREATE', 'OTP VERIFY', 'RECOVERY CREATE'],
  keyExports: ['PRIVATE_KEY EXPORT', 'WALLET EXPORT'],
  users: ['INVITATION CREATE', 'USER CREATE', 'USER UPDATE', 'USER DELETE'],
  mfaPolicies: ['MFA_POLICY CREATE', 'MFA_POLICY UPDATE', 'MFA_POLICY DELETE'],
  signatures: ['PRIVATE_KEY SIGN', 'WALLET SIGN'],
  keyDeletions: ['PRIVATE_KEY DELETE', 'WALLET DELETE'],
  keyImports: ['PRIVATE_KEY IMPORT', 'WALLET IMPORT'],
  organizationSettings: [
    ...['AUTH CREATE', 'AUTH UPDATE', 'AUTH DELETE', 'ORGANIZATION UPDATE', 'ORGANIZATION DELETE'],
    ...['ON_RAMP_CREDENTIALS CREATE', 'ON_RAMP_CREDENTIALS UPDATE', 'ON_RAMP_CREDENTIALS DELETE'],
  ],
  webhooks: ['WEBHOOK_ENDPOINT CREATE', 'WEBHOOK_ENDPOINT UPDATE', 'WEBHOOK_ENDPOINT DELETE'],
  sessionProfiles: ['SESSION_PROFILE CREATE'],
  contractInterfaces: ['SMART_CONTRACT_INTERFACE CREATE', 'SMART_CONTRACT_INTERFACE DELETE'],
  keyNames: ['PRIVATE_KEY UPDATE', 'WALLET UPDATE'],
  appDeployments: [
    ...['TVC_APP CREATE', 'TVC_APP UPDATE', 'TVC_APP DELETE'],
    ...['TVC_DEPLOYMENT CREATE', 'TVC_DEPLOYMENT UPDATE', 'TVC_DEPLOYMENT DELETE'],
  ],
  newKeys: ['PRIVATE_KEY CREATE', 'WALLET CREATE'],
  newSubOrganizations: ['ORGANIZATION CREATE'],
  endedInvitations: ['INVITATION DELETE'],
}
/** The activities that are of another kind than their deed. */
const byName: Partial<Record<Kind, readonly string[]>> = {
  keyNames: ['CREATE_PRIVATE_KEY_TAG', 'DELETE_PRIVATE_KEY_TAGS'],
  logins: ['OAUTH2_AUTHENTICATE', 'OAUTH_LOGIN', 'OTP_LOGIN', 'STAMP_LOGIN'],
  repeatedDeliveries: ['REPLAY_WEBHOOK_DELIVERY'],
}

const kindIn = (lists: typeof byDeed, name: string) =>
  Object.entries(lists).find(([, names]) => names.includes(name))?.[0]

test('each activity of the catalogue has its kind', () => {
  const deeds = new Set<string>()
  for (const operation of operations) {
    if (operation.kind !== 'activity' || typeof operation.policy === 'string') continue
    const { resource, action } = operation.policy
    deeds.add(`${resource} ${action}`)
    for (const type of operation.types.map((one) => one.type.replace(/_V\d+$/, ''))) {
      const texts = new Map([
        ['activity.resource', resource],
        ['activity.action', action],
        ['activity.type', type],
      ] as const)
      const named = kindIn(byName, type.replace('ACTIVITY_TYPE_', '')) ?? kindIn(byDeed, `${resource} ${action}`)
      expect(kindOf({ texts }), type).toBe(named)
    }
  }
  expect(Object.values(byDeed).flat().toSorted()).toEqual([...deeds].toSorted())
})
