import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { disabledProxy, enabledProxy, mayChangeCredentials, noProxy } from './shared/auth_proxies.ts'
import { explainAuthProxy } from './shared/auth_proxy_changes.ts'

export default defineActivity({
  name: 'disable_auth_proxy',
  isOwn: true,
  summary:
    'Ends the auth proxy of the organization. Sessions that it opened go on until they expire, and change no credentials any more.',
  policy: 'rootQuorumOnly',
  parameters: fields({}),
  result: Type.Object({}),
  needs: () => [all('auth_proxy')],
  explain: ({ now }) => explainAuthProxy('disable_auth_proxy', undefined, now),

  run({ organization }) {
    const proxy = enabledProxy(organization)
    if (proxy === undefined) throw noProxy()
    if (mayChangeCredentials(proxy)) organization.authProxies.remove(organization.organizationId)
    else organization.authProxies.put(disabledProxy(proxy))
    return {}
  },
})
