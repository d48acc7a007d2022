import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { AuthProxyView, authProxyView, enabledProxy } from './shared/auth_proxies.ts'

export default defineQuery({
  name: 'get_auth_proxy_config',
  isOwn: true,
  summary: 'Returns what the auth proxy of the organization may do. An organization without one gets no `config`.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ config: optional(AuthProxyView) }),
  needs: () => [all('auth_proxy')],

  run({ organization }) {
    const proxy = enabledProxy(organization)
    return proxy === undefined ? {} : { config: authProxyView(proxy) }
  },
})
