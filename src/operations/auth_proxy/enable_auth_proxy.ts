import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { all } from '../../contract/needs.ts'
import { AuthProxyParameters, authProxyOf, checkAuthProxy, withCodesSince } from './shared/auth_proxies.ts'
import { explainAuthProxy } from './shared/auth_proxy_changes.ts'
import { nobodyId } from './shared/nobody.ts'

export default defineActivity({
  name: 'enable_auth_proxy',
  isOwn: true,
  summary:
    'Lets pages of these origins ask these operations of the auth proxy without a stamp. It replaces what was allowed.',
  policy: 'rootQuorumOnly',
  parameters: AuthProxyParameters,
  result: Type.Object({ configId: Type.String(), userId: Type.String() }),
  check: checkAuthProxy,
  needs: () => [all('auth_proxy')],
  explain: ({ parameters, now }) => explainAuthProxy('enable_auth_proxy', parameters, now),

  run({ organization, parameters, nowMs }) {
    const [former] = organization.authProxies.all()
    const proxy = withCodesSince(authProxyOf(parameters, organization), { former, nowMs })
    if (former === undefined) organization.authProxies.add(proxy)
    else organization.authProxies.put({ ...proxy, createdAtMs: former.createdAtMs })
    // The clients' type has the user of the requests at the proxy. Here nobody stamps them.
    return { configId: organization.organizationId, userId: nobodyId }
  },
})
