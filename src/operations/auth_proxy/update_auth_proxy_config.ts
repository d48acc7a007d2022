import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { all } from '../../contract/needs.ts'
import {
  AuthProxyParameters,
  authProxyOf,
  checkAuthProxy,
  enabledProxy,
  noProxy,
  withCodesSince,
} from './shared/auth_proxies.ts'
import { explainAuthProxy } from './shared/auth_proxy_changes.ts'

export default defineActivity({
  name: 'update_auth_proxy_config',
  isOwn: true,
  summary:
    'Replaces all that the auth proxy of the organization may do. A value that is left out is its default again.',
  policy: 'rootQuorumOnly',
  parameters: AuthProxyParameters,
  result: Type.Object({}),
  check: checkAuthProxy,
  needs: () => [all('auth_proxy')],
  explain: ({ parameters, now }) => explainAuthProxy('update_auth_proxy_config', parameters, now),

  run({ organization, parameters, nowMs }) {
    const former = enabledProxy(organization)
    if (former === undefined) throw noProxy()
    const proxy = withCodesSince(authProxyOf(parameters, organization), { former, nowMs })
    organization.authProxies.put({ ...proxy, createdAtMs: former.createdAtMs })
    return {}
  },
})
