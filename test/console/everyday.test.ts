import { expect, test } from 'vitest'
import { asksForPasskey } from '../../console/src/api/asks_for_passkey.ts'
import { activityTypes } from '../../console/src/api/operations.ts'
import { operations } from '../../src/operations/catalogue.ts'

test('the console asks for the passkey before every activity that does not say that it is an everyday one', () => {
  const activities = operations.filter((operation) => operation.kind === 'activity')
  const asking = activities.filter(({ isEveryday }) => !isEveryday).map(({ name }) => name)
  const names = Object.keys(activityTypes) as (keyof typeof activityTypes)[]
  expect(names.filter(asksForPasskey).toSorted()).toEqual(asking.toSorted())
})

test('only these are everyday activities: they make or bring in keys, or send a message again or to oneself', () => {
  const everyday = operations.flatMap((operation) =>
    operation.kind === 'activity' && operation.isEveryday ? [operation.name] : [],
  )
  expect(everyday.toSorted()).toEqual([
    'create_private_keys',
    'create_wallet',
    'create_wallet_accounts',
    'import_private_key',
    'import_wallet',
    'init_import_private_key',
    'init_import_wallet',
    'replay_webhook_delivery',
    'set_notice_preferences',
  ])
})
