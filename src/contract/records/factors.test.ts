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
  renewed: keyOf('02ee', { ...login, openedBy: '02dd' }),
  older: keyOf('02ff', login),
  recovery: keyOf('0200', { credentialType: 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' }),
}
const user: User = {
  ...{ userId: asId('u'), userName: 'Ada', authenticators: [], oauthProviders: [], userTags: [], ...times },
  apiKeys: Object.values(keys),
}

for (const [removed, others] of [
  ['own', ['byOwn', 'older']],
  ['other', ['older']],
  ['byPasscode', []],
  ['older', []],
  ['recovery', []],
] as const) {
  test(`with ${removed} go ${others.length === 0 ? 'no other keys' : others.join(' and ')}`, () => {
    const apiKeys = user.apiKeys.filter((key) => key !== keys[removed])
    const kept = withoutCredentialsAndSessions(user, { apiKeys }).apiKeys
    const gone = Object.entries(keys).flatMap(([name, key]) => (kept.includes(key) ? [] : [name]))
    expect(gone.toSorted()).toEqual([removed, ...others].toSorted())
  })
}
