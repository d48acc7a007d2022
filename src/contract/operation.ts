import type { TSchema } from 'typebox'
import type { SourceRequest } from '../policy/ip_allowlist.ts'
import type { Struct } from '../policy/language/expression_values.ts'
import type { WordField } from '../policy/language/names/activity_forms.ts'
import { type ActivityAction, type ActivityResource, withoutVersion } from '../policy/language/names/activity_types.ts'
import type { MfaStatus } from '../policy/mfa.ts'
import { type Kind, kindOf } from '../policy/openings/deeds.ts'
import type { Pause } from '../protocol/tools/pause.ts'
import type { Steps } from '../protocol/tools/steps.ts'
import type { DerivedAddress } from '../protocol/tvc/app_proof.ts'
import type { Dialect } from '../protocol/wire/dialect.ts'
import type { JsonObject, JsonValue } from '../protocol/wire/json.ts'
import type { OutgoingMessage } from '../protocol/wire/outgoing_messages.ts'
import type { MailDecider } from '../protocol/wire/sub_organization_mails.ts'
import type { Content } from './explanation/content.ts'
import type { ExplainContext } from './explanation/explain_context.ts'
import type { Explanation } from './explanation/explanation.ts'
import type { Id } from './fields/ids.ts'
import type { Keys } from './keys.ts'
import type { Limits } from './limits.ts'
import type { Need } from './needs.ts'
import type { CodeGrant, Oauth2User } from './oauth2.ts'
import type { OidcIdentity, OidcToken } from './oidc.ts'
import type { PolicyCheck } from './policy_check.ts'
import type { Supposed } from './policy_draft.ts'
import type { OrganizationReader, OrganizationWriter } from './readers.ts'
import type { Activity, Vote } from './records/activity.ts'
import type { ShownActivity } from './records/activity_view.ts'
import type { ApiKey, LinkMaker, SmartContractInterface, User } from './records/records.ts'
import type { SimulationParameters, SimulationResult } from './simulation.ts'
import type { Watched } from './watched.ts'

type Context<P> = {
  readonly parameters: P
  /** The time by the vault's clock. */
  readonly nowMs: number
  /** The user whose stamp the request carries, and the organization to which that user belongs. */
  readonly caller: {
    readonly user: User
    readonly organizationId: string
    readonly organizationName: string
    /** On a request of the auth proxy, which nobody stamped. */
    readonly isUnstamped?: true
  }
  /** Asked between two steps of long work. */
  readonly pause: Pause
}

export type QueryContext<P> = Context<P> & {
  readonly organization: OrganizationReader
  /** The caller's dialect, in which the answer is written. */
  readonly dialect: Dialect
  /** An activity as the caller sees it, in the caller's dialect. */
  readonly showActivity: (activity: Activity) => ShownActivity
  /** The state of the MFA policies that apply to the users who submitted or approved the activity. */
  readonly mfaStatuses: (activity: Activity) => Promise<readonly MfaStatus[]>
  readonly simulate: (asked: SimulationParameters) => Promise<SimulationResult>
  readonly checkPolicies: (asked: Supposed) => Promise<PolicyCheck>
  readonly explain: (activity: Activity) => Promise<Explanation>
  readonly watched: () => Watched
}
export type ActivityContext<P> = Context<P> & {
  /**
   * The source of the request that is decided now, which is the submission or the last vote: its address, undefined if
   * it is not known, whether it is allowed by lists that are in force, and the API key that stamped the request. A change
   * must not shut out the person who completes it.
   */
  readonly source: {
    readonly address: string | undefined
    readonly isAllowedBy: (lists: Omit<SourceRequest, 'sourceAddress'>) => boolean
    readonly apiKey: ApiKey | undefined
  }
  readonly organization: OrganizationWriter
  readonly keys: Keys
  /** The console's address for links in mails, without a slash at its end. Undefined: the server does not know it. */
  readonly consoleUrl: string | undefined
  /** Whether addresses on this machine may speak plain HTTP: for development. */
  readonly loopbackHttp: boolean
  /** Decides which choices users of sub-organizations have in mails. */
  readonly mailDecider: MailDecider
  readonly login: Login
  /** How the submission came, whoever voted last. */
  readonly submitted: {
    /** Milliseconds since 1970. */
    readonly atMs: number
    /** The factor that its stamp proved (`factorOf` of `policy/mfa.ts`). */
    readonly factor: string | undefined
    /** The API key that stamped it. Undefined for a passkey, an attested stamp, and a key that is gone. */
    readonly apiKey: ApiKey | undefined
    /** The user who made it, with the credential that stamped it, be it gone or not. Undefined for the auth proxy. */
    readonly maker: LinkMaker | undefined
    /** Whether that user has that credential still: it may have gone while the activity waited. */
    readonly isMakerThere: () => boolean
    /** The maker, for a link to rest on. Throws LINK_ENDED if the maker is not there: the link would be dead. */
    readonly livingMakers: () => readonly LinkMaker[]
  }
  readonly limits: Limits
  readonly operationOfType: (type: string) => ActivityOperation | undefined
  readonly newId: () => Id
  /**
   * Delivers a message after the commit, at least once, until it expires. `Email`, `PhoneNumber` and `Label` must have
   * checked its addresses and header texts: a message that cannot be sent is a bug.
   */
  readonly send: (message: OutgoingMessage) => void
  /** Sends the event of the `delivery` need once more, in the place of the one that was given up. Returns its new id. */
  readonly sendAgain: (event: EventToSendAgain) => string
  /** The claims of a token that `oidcTokens` named. Asking for another token is a bug. */
  readonly oidcIdentity: (token: string) => OidcIdentity
  /** The client ids of the operator's own apps. A token for another client proves its own identity and nothing more. */
  readonly oidcAudiences: readonly string[]
  /** Exchanges a code at its OAuth 2.0 provider for the user to whom the provider gave it. */
  readonly oauth2User: (grant: CodeGrant) => Promise<Oauth2User>
}

/** The terms of a session that an activity opens. */
export type Login = {
  /** Present if the auth proxy opens it, or a session or token of the proxy does. */
  readonly isOfAuthProxy?: true
  /** The longest that it may last. */
  readonly secondsMax?: number
}

/** `url` is the present address of its endpoint. */
export type EventToSendAgain = { readonly deliveryId: string; readonly url: string }

export type Query = {
  readonly kind: 'query'
  readonly name: string
  /** Whether it is Claviger's own: neither the interface nor a client package knows it. */
  readonly isOwn: boolean
  readonly path: string
  readonly parameters: TSchema
  readonly result: TSchema
  readonly summary: string
  /** Whether a parent's id may stand for its one sub-organization that has the caller's credential. */
  readonly resolvesSubOrganization: boolean
  /** Whether a small request can take long. */
  readonly takesLong: boolean
  /** Whether a client may have it answered again at each change of the organization. */
  readonly isWatched: boolean
  /** Reads the parameters of a body. Throws a `Failure` that names the wrong field. */
  read(body: JsonObject): BoundQuery
}

/** A query with the parameters of one request. */
export type BoundQuery = Bound & { run(context: Unbound<QueryContext<unknown>>): unknown }

/** An operation with the parameters of one request, as far as queries and activities are alike. */
export type Bound = {
  /** Checks what the schema cannot express. Throws a `Failure` that names the field. */
  check(pause: Pause): Promise<void>
  needs(organizationId: string): readonly Need[]
  /** The tokens in the parameters. They are verified before `run`. */
  oidcTokens(): readonly OidcToken[]
}

type Unbound<C> = Omit<C, 'parameters'>

export type ActivityVersion = {
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  readonly parameters: TSchema
}

/** An activity type that an operation accepts: its newest type, or an older one. */
export type AcceptedType = ActivityVersion & {
  readonly result: TSchema
  /**
   * Reads the parameters of a request of this type. Throws a `Failure` that names the wrong field. `path`: the place of
   * the parameters in the body.
   */
  read(parameters: JsonValue, path?: string): BoundActivity
}

/** An activity operation with the parameters of one request. */
export type BoundActivity = Bound & {
  readonly operation: ActivityOperation
  /** The type as it was sent. */
  readonly type: string
  /** The parameters in the form of the newest type. */
  readonly parameters: unknown
  /** The user whose credentials the operation changes. */
  ownerOf(callerId: string): string | undefined
  /** The ids of the API keys that the operation takes from that user, if it does nothing else. */
  removedKeyIds(): readonly string[]
  /** The facts for conditions besides `activity`. Throws a `Failure` for unreadable content, and so does `run`. */
  facts(context: Unbound<FactsContext<unknown>>): Steps<Facts>
  /** The `signWith` of the signer whose spending limits count the signed amounts. Undefined: no limit counts. */
  readonly spendsFrom: string | undefined
  /** How many payloads or transactions an operation that signs would sign. */
  readonly signaturesCount: number
  /** Explains the request to people. Undefined if the operation has no explanation of its own. */
  explain(context: Unbound<ExplainContext<unknown>>): Steps<Content | undefined>
  run(context: Unbound<ActivityContext<unknown>>): Promise<Completed>
}

export type Completed = {
  /** The result in the form of the type that was sent, under its result key. */
  readonly result: Activity['result']
  /** The derived addresses that get an app proof each. `none`: the operation makes no proofs. */
  readonly provenAddresses: 'none' | readonly DerivedAddress[]
}

/** The facts that conditions see of a request, besides `activity`. */
export type Facts = {
  /** The keys used and the content to sign, by keyword. */
  readonly keywords: Struct
  /** The ids of the smart contract interfaces by which a call has its names. If absent, there are none. */
  readonly interfaceIds?: readonly string[]
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

/** Effects of these end with the session, or are there for the other credentials of its user to see. */
const withinSession: ReadonlySet<Kind | 'noPolicies'> = new Set<Kind>([
  'signatures',
  'newKeys',
  'keyImports',
  'keyDeletions',
])

/**
 * Whether what the operation does may outlast the session that asks for it: a credential, a user, a rule, a name or a tag
 * by which rules go, a setting, a login, or a key that leaves the vault. An operation of another kind does until somebody
 * decides that it does not.
 */
export function outlastsSession({ policy, types: [newest] }: Pick<ActivityOperation, 'policy' | 'types'>): boolean {
  if (typeof policy === 'string' || newest === undefined) return true
  const texts = new Map<WordField, string>([
    ['activity.resource', policy.resource],
    ['activity.action', policy.action],
    ['activity.type', withoutVersion(newest.type)],
  ])
  return !withinSession.has(kindOf({ texts }))
}

export type ActivityOperation = {
  readonly kind: 'activity'
  readonly name: string
  /** Whether it is Claviger's own: neither the interface nor a client package knows it. */
  readonly isOwn: boolean
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
  /** Whether nobody loses or gains anything by it. The console does not ask for the passkey again then. */
  readonly isEveryday: boolean
  /** Whether the organization is deleted when the activity completes. */
  readonly endsOrganization: boolean
  /** Whether it lets somebody in: it opens a session, or adds the passkey of a recovery. */
  readonly logsIn: boolean
  /** Whether all that it does is to take API keys from a user. It may be a log-out. */
  readonly removesKeys: boolean
  /**
   * The vote on another activity, which its fingerprint in the parameters names. A vote is not recorded itself and never
   * runs.
   */
  readonly casts:
    | { readonly selection: Vote['selection']; readonly fingerprintIn: (parameters: JsonValue) => string }
    | undefined
  /** The result fields that only the submitter sees. For everybody else they are empty texts. */
  readonly submitterOnly: readonly string[]
  /** Whether its parameters, of any type, can hold a token that only the submitter sees. */
  readonly hasBearerParameters: boolean
  /** Whether the operation can take tokens, whatever its parameters are. */
  readonly takesOidcTokens: boolean
}

/**
 * How policies name the operation. `rootQuorumOnly`: policies cannot allow it. `recoveryOnly` and
 * `invitationOnly`: only its owner may submit it, with the one-time key that was made for that.
 */
export type Policy =
  | { readonly resource: ActivityResource; readonly action: ActivityAction }
  | 'rootQuorumOnly'
  | 'recoveryOnly'
  | 'invitationOnly'

export type Operation = Query | ActivityOperation
