import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { submit, found, done, anotherUser } = await startOrganization()
const origins = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://app.example.com' }
const mail = { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' }
const others = [
  { name: 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY' },
  { name: 'FEATURE_NAME_EMAIL_RECOVERY' },
  { name: 'FEATURE_NAME_SMS_AUTH' },
]
const shown = async () => (await found('get_organization_configs')).configs.features

test('features are set one by one, and the value of a feature can be changed', async () => {
  expect(await done('set_organization_feature', origins)).toStrictEqual({ features: [...others, mail, origins] })
  expect(await done('set_organization_feature', mail)).toStrictEqual({ features: [...others, mail, origins] })
  const changed = { ...origins, value: '*' }
  expect(await done('set_organization_feature', changed)).toStrictEqual({ features: [...others, mail, changed] })
  const switched = { ...mail, value: '' }
  expect(await done('set_organization_feature', switched)).toStrictEqual({ features: [...others, switched, changed] })
  expect(await done('set_organization_feature', mail)).toStrictEqual({ features: [...others, mail, changed] })
  expect(await shown()).toStrictEqual([...others, mail, changed])
})

test('invalid features are refused', async () => {
  const before = await shown()
  for (const [parameters, text] of [
    [{ name: 'FEATURE_NAME_TELEPATHY' }, 'parameters.name must be one of FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'],
    [
      { ...origins, value: 'app.example.com' },
      'parameters.value must be * for any origin, or 1 to 100 origins such as',
    ],
    [{ name: origins.name }, 'parameters.value must be * for any origin'],
    [{ ...mail, value: 'false' }, 'parameters.value must be left out, empty or true: to switch it off, remove'],
    [{ ...origins, value: 'x'.repeat(10_001) }, 'parameters.value must be a text of at most 10000'],
  ] as const) {
    expectRefused(await submit('set_organization_feature', parameters), 400, text)
  }
  const { apiKey } = await anotherUser()
  expectRefused(await submit('set_organization_feature', mail, { apiKey }), 403)
  expect(await shown()).toStrictEqual(before)
})

test('the auth proxy is no feature here: the refusal names what opens it', async () => {
  const refused = await submit('set_organization_feature', { name: 'FEATURE_NAME_AUTH_PROXY' })
  expectRefused(refused, 400, 'parameters.name: FEATURE_NAME_AUTH_PROXY cannot be set: send enable_auth_proxy')
})

test('a feature that nothing implements is refused, not kept', async () => {
  const before = await shown()
  for (const name of [
    'FEATURE_NAME_EMAIL_AUTH',
    'FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED',
    'FEATURE_NAME_SWAP_CONFIG',
    'FEATURE_NAME_EARN_CONFIG',
  ]) {
    const text = `parameters.name: nothing in this server implements ${name} yet`
    expectRefused(await submit('set_organization_feature', { name }), 400, text)
  }
  expect(await shown()).toStrictEqual(before)
})
