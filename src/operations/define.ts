import type { Static, TSchema } from 'typebox'
import type { ActivityAction, ActivityResource } from '../policy/language/names/activity_types.ts'
import type { Struct } from '../policy/language/values.ts'
import type { MfaStatus } from '../policy/mfa.ts'
import type { DerivedAddress } from '../protocol/tvc/app_proof.ts'
import type { Dialect } from '../protocol/wire/dialect.ts'
import type { OutgoingMessage } from '../protocol/wire/outgoing_messages.ts'
import type { Keys } from './keys.ts'
import type { Limits } from './limits.ts'
import type { Need } from './needs.ts'
import type { CodeGrant, Oauth2User } from './oauth2.ts'
import type { OidcIdentity, OidcToken } from './oidc.ts'
import type { OrganizationReader, OrganizationWriter } from './readers.ts'
import type { Activity, Vote } from './records/activity.ts'
import type { SmartContractInterface, User } from './records/records.ts'
import type { SimulationParameters, SimulationResult } from './simulation.ts'

export type * from './readers.ts'

type Context<P> = {
  readonly parameters: P
  /** The time by the vault's clock. */
  readonly nowMs: number
  /** The user whose stamp the request carries, and the organization to which that user belongs. */
  readonly caller: { readonly user: User; readonly organizationId: string; readonly organizationName: string }
}
export type QueryContext<P> = Context<P> & {
  readonly organization: OrganizationReader
  /** The caller's dialect, in which the answer is written. */
  readonly dialect: Dialect
  /** An activity as the caller sees it, in the caller's dialect. */
  readonly showActivity: (activity: Activity) => Readonly<Record<string, unknown>>
  /** The state of the MFA policies that apply to the users who submitted or approved the activity. */
  readonly mfaStatuses: (activity: Activity) => Promise<readonly MfaStatus[]>
  readonly simulate: (asked: SimulationParameters) => Promise<SimulationResult>
}
export type ActivityContext<P> = Context<P> & {
  readonly organization: OrganizationWriter
  readonly keys: Keys
  readonly limits: Limits
  readonly newId: () => string
  /**
   * Delivers a message after the commit, at least once, until it expires. `Email`, `PhoneNumber` and `Label` must have
   * checked its addresses and header texts: a message that cannot be sent is a bug.
   */
  readonly send: (message: OutgoingMessage) => void
  /** The claims of a token that `oidcTokens` named. Asking for another token is a bug. */
  readonly oidcIdentity: (token: string) => OidcIdentity
  /** The client ids of the operator's own apps. A token for another client proves its own identity and nothing more. */
  readonly oidcAudiences: readonly string[]
  /** Exchanges a code at its OAuth 2.0 provider for the user to whom the provider gave it. */
  readonly oauth2User: (grant: CodeGrant) => Promise<Oauth2User>
}

export type Query = {
  readonly kind: 'query'
  readonly name: string
  readonly path: string
  readonly parameters: TSchema
  readonly result: TSchema
  readonly summary: string
  /** Whether a parent's id may stand for its one sub-organization that has the caller's credential. */
  readonly resolvesSubOrganization: boolean
  check(parameters: never): void
  needs(parameters: never, organizationId: string): readonly Need[]
  oidcTokens(parameters: never): readonly OidcToken[]
  run(context: QueryContext<never>): unknown
}

export type ActivityVersion = {
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  readonly parameters: TSchema
}

/** An activity type with the conversions from its parameters to the newest type, and of the result back to it. */
export type AcceptedType = ActivityVersion & {
  readonly result: TSchema
  /** Converts parameters of this type to the newest type. */
  upgrade(parameters: never): unknown
  /** Converts a result of the newest type to this type. */
  downgrade(result: never): unknown
}

/** The source of the facts about an activity. `organization` has the records that `needs` named. */
export type FactsContext<P> = {
  readonly organization: OrganizationReader
  readonly parameters: P
  /** All interfaces of the organization. A function, because they are seldom needed and can be megabytes. */
  readonly contractInterfaces: () => readonly SmartContractInterface[]
}

/** Whether the operation signs with a key of the organization. Such requests are frequent and much alike. */
export function signs({ policy }: ActivityOperation): boolean {
  return typeof policy === 'object' && policy.action === 'SIGN'
}

export type ActivityOperation = {
  readonly kind: 'activity'
  readonly name: string
  readonly path: string
  readonly summary: string
  readonly types: readonly AcceptedType[]
  readonly result: TSchema
  readonly policy: Policy
  readonly concurrent: boolean
  /** Whether a parent's id may stand for its one sub-organization that has the caller's credential. */
  readonly resolvesSubOrganization: boolean
  /** Whether a user of the parent may submit it, as if that user were a root user of the organization. */
  readonly openToParent: boolean
  /** Whether the organization is deleted when the activity completes. */
  readonly endsOrganization: boolean
  /**
   * The selection of a vote on another activity, which its fingerprint names. A vote is not recorded itself and never
   * runs.
   */
  readonly casts: Vote['selection'] | undefined
  /** The result fields that only the submitter sees. For everybody else they are empty texts. */
  readonly submitterOnly: readonly string[]
  /** `none`: the operation accepts `generateAppProofs` and makes no proofs. */
  readonly appProofs: 'none' | ((made: never) => readonly DerivedAddress[])
  check(parameters: never): void
  needs(parameters: never, organizationId: string): readonly Need[]
  ownerOf(parameters: never, callerId: string): string | undefined
  oidcTokens(parameters: never): readonly OidcToken[]
  /** Whether the operation can take tokens, whatever its parameters are. */
  readonly takesOidcTokens: boolean
  /** The facts for conditions besides `activity`, by keyword: the keys used and the content to sign. */
  facts(context: FactsContext<never>): Struct
  /** The `signWith` of the signer whose spending limits count the signed amounts. Undefined: no limit counts. */
  spendsFrom(parameters: never): string | undefined
  run(context: ActivityContext<never>): unknown
}

/**
 * How policies name the operation. `rootQuorumOnly`: policies cannot allow it. `recoveryOnly`: only its owner may
 * submit it, with a mailed credential.
 */
export type Policy =
  | { readonly resource: ActivityResource; readonly action: ActivityAction }
  | 'rootQuorumOnly'
  | 'recoveryOnly'

export type Operation = Query | ActivityOperation

type QueryDefinition<P extends TSchema, R extends TSchema> = {
  readonly name: string
  readonly summary: string
  readonly parameters: P
  readonly result: R
  readonly resolvesSubOrganization?: true
  /** Checks what the schema cannot express. Throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  needs?(parameters: Static<P>, organizationId: string): readonly Need[]
  /** The tokens in the parameters. They are verified before `run`. */
  oidcTokens?(parameters: Static<P>): readonly OidcToken[]
  run(context: QueryContext<Static<P>>): Static<R> | Promise<Static<R>>
}

/** Defines a read: `POST /public/v1/query/<name>` with a flat body. */
export function defineQuery<P extends TSchema, R extends TSchema>(definition: QueryDefinition<P, R>): Query {
  return {
    ...definition,
    kind: 'query',
    path: `/public/v1/query/${definition.name}`,
    resolvesSubOrganization: definition.resolvesSubOrganization === true,
    check: (parameters: Static<P>) => definition.check?.(parameters),
    needs: (parameters: Static<P>, organizationId) => definition.needs?.(parameters, organizationId) ?? [],
    oidcTokens: (parameters: Static<P>) => definition.oidcTokens?.(parameters) ?? [],
  }
}

type ActivityDefinition<P extends TSchema, R extends TSchema> = {
  readonly name: string
  readonly summary: string
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  readonly policy: Policy
  readonly parameters: P
  readonly result: R
  /** Older types that the path still accepts, each with the conversion of its parameters to the newest type. */
  readonly versions?: readonly OlderType<Static<P>, Static<R>>[]
  /** The operation changes no record, so requests of one organization do not wait for one another. */
  readonly concurrent?: true
  /** Whether a user of the parent may submit it, for example to log in a user of a sub-organization. */
  readonly openToParent?: true
  readonly resolvesSubOrganization?: true
  /** The result fields that only the submitter sees: tokens that anybody who has them can use. */
  readonly submitterOnly?: readonly (keyof Static<R> & string)[]
  /** The derived addresses; each gets a proof. If absent or empty, the proof covers the decision instead. */
  readonly appProofs?: 'none' | ((made: Made<Static<P>, Static<R>>) => readonly DerivedAddress[])
  /** Whether the organization and everything in it is deleted after `run`. */
  readonly endsOrganization?: true
  /** Checks what the schema cannot express. Throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  /** The user whose credentials the operation changes. That user may submit it without a rule that allows it. */
  ownerOf?(parameters: Static<P>, callerId: string): string
  needs?(parameters: Static<P>, organizationId: string): readonly Need[]
  /** The tokens in the parameters. Their issuers' keys verify them after the rules and before `run`. */
  oidcTokens?(parameters: Static<P>): readonly OidcToken[]
  /** The facts for conditions besides `activity` (docs/policies.md). Throws a `Failure` for unreadable content. */
  facts?(context: FactsContext<Static<P>>): Struct
  /** The `signWith` of the signer whose spending limits count the signed amounts. */
  spendsFrom?(parameters: Static<P>): string
  run(context: ActivityContext<Static<P>>): Static<R> | Promise<Static<R>>
}

type Made<P, R> = { readonly organizationId: string; readonly parameters: P; readonly result: R }
type OlderType<P, R> = ActivityVersion & {
  upgrade(parameters: never): P
  /** If absent, the result has the fields of the newest type. */
  readonly ownResult?: OlderResult<R>
}

type OlderResult<R> = { readonly result: TSchema; downgrade(result: R): unknown }

/** Defines an older type. Its own parameters are the type of the argument of `upgrade`. */
export function olderType<P extends TSchema, N, R>(
  version: Omit<ActivityVersion, 'parameters'> & {
    readonly parameters: P
    upgrade(parameters: Static<P>): N
    readonly ownResult?: OlderResult<R>
  },
): ActivityVersion & { upgrade(parameters: never): N; readonly ownResult?: OlderResult<R> } {
  return version
}

/** Defines a change: `POST /public/v1/submit/<name>` with the activity envelope. */
export function defineActivity<P extends TSchema, R extends TSchema>(
  definition: ActivityDefinition<P, R>,
): ActivityOperation {
  const { type, intentKey, resultKey, parameters, result } = definition
  const same = { upgrade: (given: Static<P>) => given, downgrade: (given: Static<R>) => given }
  const newest: AcceptedType = { type, intentKey, resultKey, parameters, result, ...same }
  const versions = definition.versions?.map(({ ownResult = { result, downgrade: same.downgrade }, ...version }) => ({
    ...version,
    ...ownResult,
  }))
  return {
    kind: 'activity',
    name: definition.name,
    path: `/public/v1/submit/${definition.name}`,
    summary: definition.summary,
    types: [newest, ...(versions ?? [])],
    result: definition.result,
    policy: definition.policy,
    concurrent: definition.concurrent === true,
    resolvesSubOrganization: definition.resolvesSubOrganization === true,
    openToParent: definition.openToParent === true,
    endsOrganization: definition.endsOrganization === true,
    casts: undefined,
    submitterOnly: definition.submitterOnly ?? [],
    appProofs: definition.appProofs ?? (() => []),
    check: (given: Static<P>) => definition.check?.(given),
    needs: (given: Static<P>, organizationId) => definition.needs?.(given, organizationId) ?? [],
    ownerOf: (given: Static<P>, callerId: string) => definition.ownerOf?.(given, callerId),
    oidcTokens: (given: Static<P>) => definition.oidcTokens?.(given) ?? [],
    takesOidcTokens: definition.oidcTokens !== undefined,
    facts: (context: FactsContext<Static<P>>) => definition.facts?.(context) ?? {},
    spendsFrom: (given: Static<P>) => definition.spendsFrom?.(given),
    run: (context: ActivityContext<Static<P>>) => definition.run(context),
  }
}
