import type { ActivityContext, ActivityOperation, Operation, OrganizationWriter } from '../../operations/define.ts'
import type { OidcIdentity } from '../../operations/oidc.ts'
import { RecordedFailure } from '../../operations/records/recorded_failure.ts'
import type { Struct } from '../../policy/language/values.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { fingerprintOf } from '../../protocol/wire/fingerprint.ts'
import type { RequestContext } from '../caller/request_context.ts'
import type { ExchangeCode } from '../outside/exchange_code.ts'
import { countSpending } from '../rules/count_spending.ts'
import { type Changes, createDraft } from '../state/draft.ts'
import { lineages } from '../state/lineages.ts'
import type { ResolvedNeeds } from '../state/resolve.ts'
import type { VaultServices } from '../state/vault_services.ts'
import { createKeys } from './organization_keys.ts'

export type { Changes }

/** The outcome of an operation: its result, or a refusal that writes something nevertheless. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: unknown; readonly changes: Changes }
  | { readonly kind: 'refusal'; readonly failure: Failure; readonly changes: Changes }

/**
 * Changes records that belong to the activity itself, without running its operation. The books know the change by
 * `changeKey`.
 */
export function changeRecords(
  { services, evidence, nowMs }: RequestContext,
  { resolved, changeKey }: { readonly resolved: ResolvedNeeds; readonly changeKey: () => string },
  change: (writer: OrganizationWriter) => void,
): Changes {
  const { seals, newId } = services
  const draft = createDraft({ seals, evidence, nowMs, newId, lineageOf: lineages(services, changeKey) }, resolved)
  change(draft.writer)
  return draft.changes()
}

export type OidcIdentities = ActivityContext<unknown>['oidcIdentity']

/**
 * Verifies the ID tokens that the operation names and returns what they say. A token must be valid at `submittedAtMs`,
 * when the request was submitted, because votes may take longer than the token lasts. All tokens are verified at once,
 * because each may wait for its issuer.
 */
export async function verifyOidcTokens(
  { services, nowMs }: RequestContext,
  operation: Operation,
  { parameters, submittedAtMs }: { readonly parameters: unknown; readonly submittedAtMs: number },
): Promise<OidcIdentities> {
  const tokens = operation.oidcTokens(parameters as never)
  const verified = await Promise.all(
    tokens.map((named) => services.verifyOidcToken({ ...named, nowMs, validAtMs: submittedAtMs })),
  )
  const identities = new Map<string, OidcIdentity | undefined>(
    tokens.map(({ token }, index) => [token, verified[index]]),
  )
  return (token) => {
    const identity = identities.get(token)
    if (identity === undefined) throw new Error('`oidcTokens` did not name this token')
    return identity
  }
}

function findOauth2User(services: VaultServices, ...asked: Parameters<ExchangeCode>): ReturnType<ExchangeCode> {
  if (services.ownIssuer !== undefined) return services.exchangeCode(...asked)
  throw new Failure('OAUTH2_PROVIDER_UNCONFIGURED', {
    reason: 'ID tokens have to name this server: set CLAVIGER_PUBLIC_URL',
  })
}

/**
 * Runs an allowed operation and seals its changes. `alsoChange` adds the changes of the activity itself, and
 * `alsoOnRefusal` adds them when a refusal is written. Nothing has an effect before the commit is on disk. If this
 * throws the operation's `Failure`, nothing was changed.
 */
export async function runOperation(
  context: RequestContext,
  {
    operation,
    parameters,
    facts,
    oidcIdentity,
    resolved,
    caller,
    changeKey,
    alsoChange = () => {},
    alsoOnRefusal = () => {},
  }: {
    readonly operation: ActivityOperation
    readonly parameters: unknown
    /** The facts about the request that conditions see. */
    readonly facts: () => Struct
    readonly oidcIdentity: OidcIdentities
    readonly resolved: ResolvedNeeds
    readonly caller: ActivityContext<unknown>['caller']
    readonly changeKey: () => string
    readonly alsoChange?: (writer: OrganizationWriter) => void
    readonly alsoOnRefusal?: (writer: OrganizationWriter) => void
  },
): Promise<Outcome> {
  const { services, request, evidence, tally, nowMs } = context
  const { seals, limits, newId, randomBytes, oidcAudiences } = services
  const { organizationId } = resolved.own.organization.head
  const counted = countSpending({ resolved, operation, parameters, facts, nowMs })
  const lineageOf = lineages(services, changeKey)
  const draft = createDraft({ seals, evidence, nowMs, newId, lineageOf }, counted.resolved)
  try {
    const result = await operation.run({
      organization: draft.writer,
      send: draft.send,
      parameters: parameters as never,
      nowMs,
      caller,
      keys: createKeys({
        seals,
        organization: resolved.own.organization,
        dialect: request.dialect,
        issuer: services.ownIssuer,
        nowMs,
        randomBytes,
        countOpening: tally.countOpening,
      }),
      limits,
      newId,
      oidcIdentity,
      oidcAudiences,
      oauth2User: (grant) =>
        findOauth2User(services, grant, { fingerprint: fingerprintOf(request.body), organizationId }),
    })
    alsoChange(draft.writer)
    counted.change(draft.writer)
    if (operation.endsOrganization) draft.end()
    const changes = draft.changes()
    const additions = [...changes.additions, ...counted.additions]
    return { kind: 'result', result, changes: { ...changes, additions } }
  } catch (error) {
    if (!(error instanceof RecordedFailure)) throw error
    alsoOnRefusal(draft.writer)
    return { kind: 'refusal', failure: error.failure, changes: draft.changes() }
  } finally {
    draft.dispose()
  }
}
