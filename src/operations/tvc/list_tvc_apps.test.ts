import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'
import { newApp, newOperator } from '../../../test/support/tvc.ts'

const { found, done } = await startOrganization()

test('an organization without apps has an empty list', async () => {
  expect(await found('list_tvc_apps')).toStrictEqual({ tvcApps: [] })
})

test('apps are listed in order of creation, each as `get_tvc_app` shows it', async () => {
  const tvcApps: unknown[] = []
  for (const name of ['c', 'a', 'b']) {
    const { appId } = await done('create_tvc_app', newApp([newOperator(name)], { name }))
    tvcApps.push((await found('get_tvc_app', { tvcAppId: appId })).tvcApp)
  }
  expect(await found('list_tvc_apps')).toStrictEqual({ tvcApps })
})
