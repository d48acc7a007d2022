import type { VaultRequest } from '../../../link/verbs.ts'
import { type MadeActivity, proxiedOperations } from '../../../operations/auth_proxy/shared/proxied_operations.ts'
import { walletKitConfig } from '../../../operations/auth_proxy/shared/wallet_kit_config.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { lazily } from '../../../protocol/tools/lazily.ts'
import type { ProxiedName, ProxiedRequest } from '../../../protocol/wire/auth_proxy.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { fingerprintOf } from '../../../protocol/wire/fingerprint.ts'
import { type JsonObject, jsonBytes } from '../../../protocol/wire/json.ts'
import { openProxy, proxyCaller } from '../../caller/auth_proxy.ts'
import { requireAllowedBy } from '../../caller/ip_allowlists.ts'
import { accountOf, organizationOfLogin } from '../../caller/proxied_account.ts'
import type { Asking } from '../../caller/request_context.ts'
import { type Organization, openTarget } from '../../state/organization.ts'
import { askIdentified } from './identified.ts'
import type { VoteOrAnswer } from './vote_or_answer.ts'

/** A request to an auth proxy, and the name of what it asks for. */
export type Proxied = { readonly kind: 'proxied'; readonly name: ProxiedName; readonly proxied: ProxiedRequest }

/** Larger than an ID token with what stands beside it. Nobody has stamped these bytes. */
const bodyBytesMax = 32_768

/** Refuses a request that is none for the auth proxy, before its body is read. */
export function requireUnstamped({ stamps, body }: Pick<VaultRequest, 'stamps' | 'body'>): void {
  if (stamps.length > 0) throw new Failure('STAMP_COUNT', 'the auth proxy takes no stamp')
  if (body.length > bodyBytesMax) {
    throw new Failure('BODY_INVALID', `at the auth proxy it has at most ${bodyBytesMax} bytes`)
  }
}

/**
 * Reads an unstamped request to an auth proxy: a question, or an activity that the vault makes of it. The body of the
 * activity is the vault's own. A member `authProxy` says so in it, which no stamped body may have.
 */
export async function askProxied(context: Asking, asked: Proxied, body: JsonObject): Promise<VoteOrAnswer> {
  const { name, proxied } = asked
  const opened = openProxy(context, proxied, name)
  const operation = proxiedOperations[name]
  switch (operation.kind) {
    case 'config':
      return answered(walletKitConfig(opened.proxy, opened.organization.allListed('feature')))
    case 'clientParams':
      return answered({})
    case 'account': {
      const organizationId = await accountOf(context, opened.organization, operation.proofIn(body))
      return answered(organizationId === undefined ? {} : { organizationId })
    }
    case 'activity': {
      const made = operation.made(body, opened.proxy)
      const { account } = made
      const { organization } = opened
      // A passcode is the proxy's own organization's.
      const organizationId =
        account === undefined
          ? organization.head.organizationId
          : await organizationOfLogin(context, organization, { named: made.organizationId, proof: account })
      const target = openTarget(context, organizationId)
      // A session opens there. The list of the parent says nothing of its sub-organization's users.
      if (account !== undefined) requireAllowedBy(context, target)
      const { bytes, ...activity } = interfaceRequestOf(made, target, asked)
      const request = { ...context.request, body: bytes }
      const caller = proxyCaller(organization, context.nowMs)
      const ofBytes = { ...context, request, fingerprint: lazily(() => fingerprintOf(bytes)) }
      return askIdentified(ofBytes, { ...activity, target, caller })
    }
  }
}

function answered(result: object): VoteOrAnswer {
  return { kind: 'answered', result }
}

/** The activity as a request of the interface. */
function interfaceRequestOf({ type, parameters }: MadeActivity, target: Organization, { name, proxied }: Proxied) {
  const typed = operationOfType(type)
  if (typed === undefined) throw new Error(`${type} is no activity type`)
  const { operation, accepted } = typed
  const { organizationId } = target.head
  const { origin, requestId, timestampMs } = proxied
  const authProxy = { operation: name, requestId, ...(origin === undefined ? {} : { origin }) }
  const body: JsonObject = { type, timestampMs: String(timestampMs), organizationId, parameters, authProxy }
  return { operation, envelope: { organizationId, timestampMs, accepted, parameters }, bytes: jsonBytes(body) }
}
