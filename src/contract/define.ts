import type { Static, TSchema } from 'typebox'
import { camelCase } from '../protocol/tools/camel_case.ts'
import type { Pause } from '../protocol/tools/pause.ts'
import { oneStep, type Steps } from '../protocol/tools/steps.ts'
import type { DerivedAddress } from '../protocol/tvc/app_proof.ts'
import type { JsonValue } from '../protocol/wire/json.ts'
import type { Content } from './explanation/content.ts'
import type { ExplainContext } from './explanation/explain_context.ts'
import { bearerTokensOf, hasBearerParameters } from './fields/bearer_token.ts'
import { readParameters } from './fields/parameters.ts'
import type { Need } from './needs.ts'
import type { OidcToken } from './oidc.ts'
import type {
  ActivityContext,
  ActivityOperation,
  ActivityVersion,
  Bound,
  BoundActivity,
  Facts,
  FactsContext,
  Policy,
  Query,
  QueryContext,
} from './operation.ts'

export type * from './operation.ts'
export type * from './readers.ts'

/** The members that the definitions of queries and activities share. `G`: the parameters as they see them. */
type Definition<P extends TSchema, R extends TSchema, G> = {
  readonly name: string
  /** The operation is Claviger's own: neither the interface nor a client package knows it. */
  readonly isOwn?: true
  readonly summary: string
  readonly parameters: P
  readonly result: R
  readonly resolvesSubOrganization?: true
  /**
   * Checks what the schema cannot express, and pauses between long steps. Throws a `Failure` that names the field.
   */
  check?(parameters: G, pause: Pause): void | Promise<void>
  needs?(parameters: G, organizationId: string): readonly Need[]
  /** The tokens in the parameters. Their issuers' keys verify them before `run`, and after the rules. */
  oidcTokens?(parameters: G): readonly OidcToken[]
}

type QueryDefinition<P extends TSchema, R extends TSchema> = Definition<P, R, Static<P>> & {
  /** Whether a small request can take long: few of one organization are answered at a time. */
  readonly takesLong?: true
  /** Whether a client may have it answered again at each change of the organization. */
  readonly isWatched?: true
  run(context: QueryContext<Static<P>>): Static<R> | Promise<Static<R>>
}

/** Defines a read: `POST /public/v1/query/<name>` with a flat body. */
export function defineQuery<P extends TSchema, R extends TSchema>(definition: QueryDefinition<P, R>): Query {
  const { name, summary, parameters: schema, result } = definition
  return {
    ...{ name, summary, result, kind: 'query', path: `/public/v1/query/${name}`, parameters: schema },
    isOwn: definition.isOwn === true,
    resolvesSubOrganization: definition.resolvesSubOrganization === true,
    takesLong: definition.takesLong === true,
    isWatched: definition.isWatched === true,
    read(body) {
      const parameters = readParameters(schema, body, '')
      return {
        ...bound(definition, parameters),
        run: (context) => definition.run({ ...context, parameters }),
      }
    },
  }
}

function bound<G>(definition: Definition<TSchema, TSchema, G>, parameters: G): Bound {
  return {
    check: async (pause) => definition.check?.(parameters, pause),
    needs: (organizationId) => definition.needs?.(parameters, organizationId) ?? [],
    oidcTokens: () => definition.oidcTokens?.(parameters) ?? [],
  }
}

type ActivityDefinition<P extends TSchema, R extends TSchema, G extends Static<P>> = Definition<P, R, G> & {
  /** Absent: ACTIVITY_TYPE_ and the name. */
  readonly type?: string
  readonly resultKey?: string
  readonly policy: Policy
  /**
   * Adds to the parameters what their content says. It is called once for each request, and the other members get its
   * result as their parameters. It never throws: what takes long, or may be unreadable, is read when it is asked for.
   */
  parse?(parameters: Static<P>): G
  /** Older types that the path still accepts, each with the conversion of its parameters to the newest type. */
  readonly versions?: readonly OlderType<Static<P>, Static<R>>[]
  /** The operation changes no record, so requests of one organization do not wait for one another. */
  readonly concurrent?: true
  /** Whether a user of the parent may submit it, for example to log in a user of a sub-organization. */
  readonly openToParent?: true
  /**
   * Nobody loses or gains anything by it, such as by a new key. The console asks for the passkey again before any other
   * activity.
   */
  readonly isEveryday?: true
  /** The derived addresses; each gets a proof. If absent or empty, the proof covers the decision instead. */
  readonly appProofs?: 'none' | ((made: Made<G, Static<R>>) => readonly DerivedAddress[])
  /** Whether the organization and everything in it is deleted after `run`. */
  readonly endsOrganization?: true
  /** Whether it lets somebody in: it opens a session, or adds the passkey of a recovery. */
  readonly logsIn?: true
  /** The user whose credentials the operation changes. That user may submit it without a rule that allows it. */
  ownerOf?(parameters: G, callerId: string): string
  /** The ids of the API keys that the operation takes from that user, if it does nothing else. */
  removedKeyIds?(parameters: G): readonly string[]
  /** The facts for conditions besides `activity` (docs/policies.md). Throws a `Failure` for unreadable content. */
  facts?(context: FactsContext<G>): Steps<Facts>
  /** The `signWith` of the signer whose spending limits count the signed amounts. */
  spendsFrom?(parameters: G): string
  /** How many payloads or transactions it signs, where it may be several. A velocity control can count them. */
  signaturesCount?(parameters: G): number
  /** Explains the request to people. Undefined: it cannot, and every parameter is shown instead. */
  explain?(context: ExplainContext<G>): Steps<Content | undefined>
  run(context: ActivityContext<G>): Static<R> | Promise<Static<R>>
}

type Made<P, R> = { readonly organizationId: string; readonly parameters: P; readonly result: R }

/** `resultKey` is given where the interface does not derive it from the type. */
type GivenVersion = Pick<ActivityVersion, 'type' | 'parameters'> & { readonly resultKey?: string }

/** Returns the version with its keys: ACTIVITY_TYPE_CREATE_WALLET_V2 has `createWalletIntentV2`. */
function withKeys({ type, parameters, resultKey }: GivenVersion): ActivityVersion {
  const [, kind = '', version = ''] = /^ACTIVITY_TYPE_(.*?)(?:_(V\d+))?$/.exec(type) ?? []
  const name = camelCase(kind.toLowerCase())
  return { type, parameters, intentKey: `${name}Intent${version}`, resultKey: resultKey ?? `${name}Result${version}` }
}

/** An older type, and how its parameters become those of the newest type `P`. */
type OlderType<P, R> = ActivityVersion & {
  /** Reads parameters of this type and converts them to the newest type. */
  readNewest(parameters: JsonValue, path: string): P
  /** If absent, the result has the fields of the newest type. */
  readonly ownResult?: OlderResult<R>
}

type OlderResult<R> = { readonly result: TSchema; downgrade(result: R): object }

/** Defines an older type. Its own parameters are the type of the argument of `upgrade`. */
export function olderType<P extends TSchema, N, R>({
  upgrade,
  ownResult,
  ...version
}: GivenVersion & {
  readonly parameters: P
  upgrade(parameters: Static<P>): N
  readonly ownResult?: OlderResult<R>
}): OlderType<N, R> {
  return {
    ...withKeys(version),
    readNewest: (given, path) => upgrade(readParameters(version.parameters, given, path)),
    ...(ownResult === undefined ? {} : { ownResult }),
  }
}

/** Defines a change: `POST /public/v1/submit/<name>` with the activity envelope. */
export function defineActivity<P extends TSchema, R extends TSchema, G extends Static<P> = Static<P>>(
  definition: ActivityDefinition<P, R, G>,
): ActivityOperation {
  const { name, summary, policy, parameters, result, versions = [] } = definition
  const newest: OlderType<Static<P>, Static<R>> = {
    ...withKeys({ type: `ACTIVITY_TYPE_${name.toUpperCase()}`, ...definition }),
    readNewest: (given, path) => readParameters(parameters, given, path),
  }
  const operation: ActivityOperation = {
    ...{ kind: 'activity', name, path: `/public/v1/submit/${name}`, summary, result, policy },
    types: [newest, ...versions].map(({ readNewest, ownResult = { result, downgrade: same }, ...version }) => ({
      ...version,
      result: ownResult.result,
      read: (given, path = 'parameters') => bind(readNewest(given, path), { ...version, ...ownResult }),
    })),
    isOwn: definition.isOwn === true,
    concurrent: definition.concurrent === true,
    resolvesSubOrganization: definition.resolvesSubOrganization === true,
    openToParent: definition.openToParent === true,
    isEveryday: definition.isEveryday === true,
    endsOrganization: definition.endsOrganization === true,
    logsIn: definition.logsIn === true,
    removesKeys: definition.removedKeyIds !== undefined,
    casts: undefined,
    submitterOnly: bearerTokensOf(result),
    hasBearerParameters: [newest, ...versions].some((version) => hasBearerParameters(version.parameters)),
    takesOidcTokens: definition.oidcTokens !== undefined,
  }

  function bind(
    given: Static<P>,
    { type, resultKey, downgrade }: ActivityVersion & OlderResult<Static<R>>,
  ): BoundActivity {
    // Without `parse`, G is the type of what was given.
    const parameters = definition.parse?.(given) ?? (given as G)
    return {
      ...bound(definition, parameters),
      operation,
      type,
      parameters: given,
      ownerOf: (callerId) => definition.ownerOf?.(parameters, callerId),
      removedKeyIds: () => definition.removedKeyIds?.(parameters) ?? [],
      facts: (context) => definition.facts?.({ ...context, parameters }) ?? oneStep(() => ({ keywords: {} })),
      spendsFrom: definition.spendsFrom?.(parameters),
      signaturesCount: definition.signaturesCount?.(parameters) ?? 1,
      explain: (context) => definition.explain?.({ ...context, parameters }) ?? oneStep(() => undefined),
      async run(context) {
        const made = await definition.run({ ...context, parameters })
        const { appProofs = () => [] } = definition
        const { organizationId } = context.organization
        return {
          result: { [resultKey]: downgrade(made) },
          provenAddresses: appProofs === 'none' ? appProofs : appProofs({ organizationId, parameters, result: made }),
        }
      },
    }
  }
  return operation
}

function same<T>(given: T): T {
  return given
}
