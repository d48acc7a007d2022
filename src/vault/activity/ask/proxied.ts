import type { VaultRequest } from '../../../link/verbs.ts'
import { type MadeActivity, proxiedOperations } from '../../../operations/auth_proxy/shared/proxied_operations.ts'
import { walletKitConfig } from '../../../operations/auth_proxy/shared/wallet_kit_config.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { lazily } from '../../../protocol/tools/lazily.ts'
import type { ProxiedName, ProxiedRequest } from '../../../protocol/wire/auth_proxy.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { fingerprintOf } from '../../../protocol/wire/fingerprint.ts'
import { isJsonObject, type JsonObject, jsonBytes } from '../../../protocol/wire/json.ts'
import { requireAllowedBy } from '../../caller/allowed_source.ts'
import { type OpenProxy, openProxy, proxyCaller } from '../../caller/auth_proxy.ts'
import { accountOf, mayLogInTo } from '../../caller/proxied_account.ts'
import { type Asking, openTarget } from '../../caller/request_context.ts'
import type { Organization } from '../../state/organization.ts'
import type { ActivityAsk, Ask } from './ask.ts'
import { askCalled } from './ask_for.ts'

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
export async function askProxied(context: Asking, { name, proxied }: Proxied, body: JsonObject): Promise<Ask> {
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
      const target = openTarget(context, await organizationOf(context, opened, made))
      // A session opens there. The list of the parent says nothing of its sub-organization's users.
      if (made.account !== undefined) requireAllowedBy(context, target)
      return askMade(context, { opened, made, name, proxied, target })
    }
  }
}

function answered(result: object): Ask {
  return { kind: 'answered', result }
}

/** A passcode is the proxy's own organization's. A login is in the organization of the account. */
async function organizationOf(
  context: Asking,
  { organization }: OpenProxy,
  { organizationId, account }: MadeActivity,
): Promise<string> {
  if (account === undefined) return organization.head.organizationId
  const named = organizationId?.toLowerCase()
  const found = named ?? (await accountOf(context, organization, account))
  const mayBe =
    named === undefined || (await mayLogInTo(context, organization, { organizationId: named, proof: account }))
  if (found === undefined || !mayBe) {
    throw new Failure('NOT_FOUND', 'nobody here has the contact or identity that was proved')
  }
  return found
}

async function askMade(
  context: Asking,
  {
    opened: { organization },
    made: { type, parameters },
    name,
    proxied: { origin, requestId, timestampMs },
    target,
  }: {
    readonly opened: OpenProxy
    readonly made: MadeActivity
    readonly name: ProxiedName
    readonly proxied: ProxiedRequest
    readonly target: Organization
  },
): Promise<ActivityAsk> {
  const typed = operationOfType(type)
  if (typed === undefined) throw new Error(`${type} is no activity type`)
  const { operation, accepted } = typed
  const { organizationId } = target.head
  const authProxy = { operation: name, requestId, ...(origin === undefined ? {} : { origin }) }
  const body: JsonObject = { type, timestampMs: String(timestampMs), organizationId, parameters, authProxy }
  const bytes = jsonBytes(body)
  const asked = await askCalled(
    { ...context, request: { ...context.request, body: bytes }, fingerprint: lazily(() => fingerprintOf(bytes)) },
    {
      operation,
      envelope: { organizationId, timestampMs, accepted, parameters },
      target,
      caller: proxyCaller(organization, context.nowMs),
      body,
    },
  )
  return { ...asked, resultKey: accepted.resultKey }
}

/** Returns the result alone, which clients of the proxy expect. */
export function resultIn(body: Uint8Array, resultKey: string): JsonObject {
  const { activity } = JSON.parse(Buffer.from(body).toString('utf8'))
  const result = activity.result[resultKey]
  if (!isJsonObject(result)) throw new Error(`an activity of the auth proxy ends at once, with ${resultKey}`)
  return result
}
