import { expect, test } from 'vitest'
import { asId } from '../fields/ids.ts'
import { withoutCredentialsAndSessions } from './factors.ts'
import type { ApiKey, User } from './record_types.ts'

const times = { createdAtMs: 0, updatedAtMs: 0 }
const keyOf = (publicKey: string, more: Partial<ApiKey> = {}): ApiKey => ({
  ...{ apiKeyId: publicKey, apiKeyName: publicKey, publicKey, curveType: 'API_KEY_CURVE_P256', ...times, ...more },
})
const login = { credentialType: 'CREDENTIAL_TYPE_LOGIN' } as const
const keys = {
  own: keyOf('02aa'),
  other: keyOf('02bb'),
  byOwn: keyOf('02cc', { ...login, openedBy: '02aa' }),
  byPasscode: keyOf('02dd', { ...login, openedBy: '02dd' }),
  renewed: keyOf('02ee', { ...login, openedBy: '02dd', openedThrough: ['02dd'] }),
  renewedAgain: keyOf('0201', { ...login, openedBy: '02dd', openedThrough: ['02ee', '02dd'] }),
  ofAnotherCode: keyOf('0202', { ...login, openedBy: '0202' }),
  older: keyOf('02ff', login),
  recovery: keyOf('0200', { credentialType: 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' }),
}
const user: User = {
  ...{ userId: asId('u'), userName: 'Ada', authenticators: [], oauthProviders: [], userTags: [], ...times },
  apiKeys: Object.values(keys),
}

for (const [removed, others, by] of [
  ['own', ['byOwn', 'older'], undefined],
  ['own', ['byOwn', 'older'], 'byOwn'],
  ['other', ['older'], undefined],
  ['byPasscode', ['renewed', 'renewedAgain'], undefined],
  ['byPasscode', ['renewed', 'renewedAgain'], 'byPasscode'],
  ['byPasscode', ['renewed', 'renewedAgain'], 'ofAnotherCode'],
  ['byPasscode', [], 'renewed'],
  ['byPasscode', ['renewed'], 'renewedAgain'],
  ['renewed', ['renewedAgain'], 'byPasscode'],
  ['renewed', [], 'renewedAgain'],
  ['renewedAgain', [], undefined],
  ['older', [], undefined],
  ['recovery', [], undefined],
] as const) {
  const asked = by === undefined ? '' : ` if ${by} asks`
  test(`with ${removed} go ${others.length === 0 ? 'no other keys' : others.join(' and ')}${asked}`, () => {
    const apiKeys = user.apiKeys.filter((key) => key !== keys[removed])
    const kept = withoutCredentialsAndSessions(user, { apiKeys }, by && keys[by].publicKey).apiKeys
    const gone = Object.entries(keys).flatMap(([name, key]) => (kept.includes(key) ? [] : [name]))
    expect(gone.toSorted()).toEqual([removed, ...others].toSorted())
  })
}
