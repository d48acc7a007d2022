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
  /** The vault's own time. */
  readonly nowMs: number
  /** The user whose stamp the request carries, and the organization to which that user belongs. */
  readonly caller: { readonly user: User; readonly organizationId: string; readonly organizationName: string }
}
export type QueryContext<P> = Context<P> & {
  readonly organization: OrganizationReader
  /** The caller's, in which the answer is to be. */
  readonly dialect: Dialect
  /** An activity as the caller sees it, in the caller's dialect. */
  readonly showActivity: (activity: Activity) => Readonly<Record<string, unknown>>
  /** What MFA policies ask of those who submit or approve an activity. */
  readonly mfaStatuses: (activity: Activity) => Promise<readonly MfaStatus[]>
  readonly simulate: (asked: SimulationParameters) => Promise<SimulationResult>
}
export type ActivityContext<P> = Context<P> & {
  readonly organization: OrganizationWriter
  readonly keys: Keys
  readonly limits: Limits
  readonly newId: () => string
  /**
   * Delivers a message after the commit, at least once, until it expires. Addresses and header texts must have been
   * checked (`Email`, `PhoneNumber`, `Label`): one that cannot be sent is a bug.
   */
  readonly send: (message: OutgoingMessage) => void
  /** What a token says that `oidcTokens` named. Asking for another one is a bug. */
  readonly oidcIdentity: (token: string) => OidcIdentity
  /** The clients of the operator's own apps: what an issuer told others of a person proves no more than that. */
  readonly oidcAudiences: readonly string[]
  /** The user to whom an OAuth 2.0 provider gave a code, which the provider is asked for. */
  readonly oauth2User: (grant: CodeGrant) => Promise<Oauth2User>
}

export type Query = {
  readonly kind: 'query'
  readonly name: string
  readonly path: string
  readonly parameters: TSchema
  readonly result: TSchema
  readonly summary: string
  /** A parent's id may stand for the one sub-organization that holds the caller's credential. */
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

/** A type, the way from its parameters to the newest ones, and the way back for the result. */
export type AcceptedType = ActivityVersion & {
  readonly result: TSchema
  /** Parameters of this type in the form of the newest one. */
  upgrade(parameters: never): unknown
  /** The newest type's result in the form of this one. */
  downgrade(result: never): unknown
}

/** What the facts about an activity are made from: `organization` has what `reads` named. */
export type FactsContext<P> = {
  readonly organization: OrganizationReader
  readonly parameters: P
  /** All that the organization has: seldom asked for, and as large as a request can be. */
  readonly contractInterfaces: () => readonly SmartContractInterface[]
}

/** Whether it uses a key of the organization: of such requests there are many, one like the other. */
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
  /** A parent's id may stand for the one sub-organization that holds the caller's credential. */
  readonly resolvesSubOrganization: boolean
  /** Whether a user of the parent may submit it, as if it were one of the organization's root users. */
  readonly openToParent: boolean
  /** Whether the organization is deleted once it is done. */
  readonly endsOrganization: boolean
  /** It is a vote on another activity, named by its fingerprint: it is not recorded itself and never run. */
  readonly casts: Vote['selection'] | undefined
  /** Texts of the result that are shown to the submitter, and empty to everybody else. */
  readonly submitterOnly: readonly string[]
  /** `none`: it takes `generateAppProofs` and makes none. */
  readonly appProofs: 'none' | ((made: never) => readonly DerivedAddress[])
  check(parameters: never): void
  needs(parameters: never, organizationId: string): readonly Need[]
  ownerOf(parameters: never, callerId: string): string | undefined
  oidcTokens(parameters: never): readonly OidcToken[]
  /** Whether it has a place for tokens at all: known without a look at its parameters. */
  readonly takesOidcTokens: boolean
  /** What conditions see besides `activity`, by keyword: the keys that are used, and what is signed. */
  facts(context: FactsContext<never>): Struct
  /** How its parameters name the signer whose spending limits count what is signed; undefined: nothing is counted. */
  spendsFrom(parameters: never): string | undefined
  run(context: ActivityContext<never>): unknown
}

/** How policies speak of it. `rootQuorumOnly`: not at all. `recoveryOnly`: its owner may, by what was mailed. */
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
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  needs?(parameters: Static<P>, organizationId: string): readonly Need[]
  /** Tokens in the parameters: verified before `run`. */
  oidcTokens?(parameters: Static<P>): readonly OidcToken[]
  run(context: QueryContext<Static<P>>): Static<R> | Promise<Static<R>>
}

/** A read: `POST /public/v1/query/<name>` with a flat body. */
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
  /** Older types that the path still accepts, each with the way from its parameters to the newest ones. */
  readonly versions?: readonly OlderType<Static<P>, Static<R>>[]
  /** Changes no record, so that requests of one organization need not wait for one another. */
  readonly concurrent?: true
  /** Whether a user of the parent may submit it: for logging in users of its sub-organizations. */
  readonly openToParent?: true
  readonly resolvesSubOrganization?: true
  /** Texts of the result that are shown to the submitter only: tokens that are good for whoever has them. */
  readonly submitterOnly?: readonly (keyof Static<R> & string)[]
  /** The addresses that it derived, for a proof of each. Left out, or of none: the proof is of the decision. */
  readonly appProofs?: 'none' | ((made: Made<Static<P>, Static<R>>) => readonly DerivedAddress[])
  /** Whether the organization is deleted, with all that is in it, once `run` has returned. */
  readonly endsOrganization?: true
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  /** The user whose own credentials this changes: that user may, without any rule. */
  ownerOf?(parameters: Static<P>, callerId: string): string
  needs?(parameters: Static<P>, organizationId: string): readonly Need[]
  /** Tokens in the parameters: verified after the rules and before `run`, with their issuers' keys. */
  oidcTokens?(parameters: Static<P>): readonly OidcToken[]
  /** What conditions see besides `activity` (docs/policies.md). Throws a `Failure` for what cannot be read. */
  facts?(context: FactsContext<Static<P>>): Struct
  /** The signer, as the parameters name it, whose spending limits count what is signed. */
  spendsFrom?(parameters: Static<P>): string
  run(context: ActivityContext<Static<P>>): Static<R> | Promise<Static<R>>
}

type Made<P, R> = { readonly organizationId: string; readonly parameters: P; readonly result: R }
type OlderType<P, R> = ActivityVersion & {
  upgrade(parameters: never): P
  /** Left out: this type's result has the fields of the newest one. */
  readonly ownResult?: OlderResult<R>
}

type OlderResult<R> = { readonly result: TSchema; downgrade(result: R): unknown }

/** How an older type differs; `upgrade` is typed by its own parameters. */
export function olderType<P extends TSchema, N, R>(
  version: Omit<ActivityVersion, 'parameters'> & {
    readonly parameters: P
    upgrade(parameters: Static<P>): N
    readonly ownResult?: OlderResult<R>
  },
): ActivityVersion & { upgrade(parameters: never): N; readonly ownResult?: OlderResult<R> } {
  return version
}

/** A change: `POST /public/v1/submit/<name>` with the activity envelope. */
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
