import type { Static, TSchema } from 'typebox'
import type { Curve } from '../protocol/curves.ts'
import type { SecretBytes } from '../protocol/secret_bytes.ts'
import type { Activity } from './activity.ts'
import type { Limits } from './limits.ts'
import type { Need } from './needs.ts'
import type { PrivateKey, RecordKind, RecordTypes, SubOrganization, User, Wallet, WalletAccount } from './records.ts'

/** Records of one kind, as far as the operation's `reads` named them. Asking for one that it did not name is a bug. */
export type Reader<T> = {
  get(recordId: string): T
  all(): readonly T[]
  /** The records of the operation's `page`. */
  page(): readonly T[]
}

/** A Writer is a Reader, never the reverse: a query has no Writer in its hands. */
export type Writer<T> = Reader<T> & {
  /** How many there are now, for the listed kinds. */
  count(): number
  add(record: T): void
  put(record: T): void
  remove(recordId: string): void
}

/** Records with a secret come into being together with it. */
export type KeyWriter<T> = Omit<Writer<T>, 'add'> & {
  /** Takes ownership of `secret`: it is zeroed once it is sealed. */
  add(record: T, secret: SecretBytes): void
}

export type Quorum = { readonly threshold: number; readonly userIds: readonly string[] }

type OrganizationFacts = {
  readonly organizationId: string
  readonly parentId: string | undefined
  readonly organizationName: string
  readonly rootQuorum: Quorum
}

export type OrganizationReader = OrganizationFacts & {
  readonly users: Reader<User>
  readonly wallets: Reader<Wallet>
  readonly walletAccounts: Reader<WalletAccount>
  readonly privateKeys: Reader<PrivateKey>
  readonly subOrganizations: Reader<SubOrganization>
  readonly activities: Reader<Activity>
  /** What the `lookup` need with this key found. */
  found<K extends RecordKind>(kind: K, lookup: string, key: string): readonly RecordTypes[K][]
  /** The sub-organizations that the `holders` need found. */
  holders(): readonly string[]
  signer(signWith: string): Signer
}

export type OrganizationWriter = Omit<
  OrganizationReader,
  'users' | 'wallets' | 'walletAccounts' | 'privateKeys' | 'subOrganizations'
> & {
  rename(organizationName: string): void
  readonly users: Writer<User>
  readonly wallets: KeyWriter<Wallet>
  readonly walletAccounts: KeyWriter<WalletAccount>
  readonly privateKeys: KeyWriter<PrivateKey>
  readonly subOrganizations: Writer<SubOrganization>
  /** A new organization below this one, written in the same transaction. */
  createChild(child: { organizationName: string }): ChildWriter
}

export type ChildWriter = Pick<OrganizationWriter, 'organizationId' | 'users' | 'wallets' | 'walletAccounts'> & {
  setRootQuorum(rootQuorum: Quorum): void
}

/** Whatever can sign: its secret stays in the vault, `keys.sign` uses it. */
export type Signer = {
  readonly kind: 'wallet_account' | 'private_key'
  readonly recordId: string
  readonly curve: Curve
  /** How the address given in `signWith` wants to be signed for. */
  readonly scheme: 'default' | 'taproot'
}

export type Signature = { readonly r: string; readonly s: string; readonly v: string }

/** Everything that touches key material. The secrets pass through `run` as handles that cannot be printed. */
export type Keys = {
  newEntropy(mnemonicLength: number): SecretBytes
  newPrivateKey(curve: Curve): SecretBytes
  seedOf(entropy: SecretBytes): Promise<SecretBytes>
  /** The entropy of a wallet that `reads` named. */
  entropyOf(walletId: string): SecretBytes
  derive(seed: SecretBytes, at: { readonly curve: Curve; readonly path: string }): Promise<SecretBytes>
  sign(signer: Signer, message: Uint8Array): Signature
}

/** A token somebody presents, and where it stands in the body. */
export type OidcToken = { readonly token: string; readonly fieldPath?: string }

/** What an ID token says (OpenID Connect Core 1.0, section 2): verified, but for `aud` and the nonces. */
export type OidcIdentity = {
  readonly iss: string
  /** The client to which the token was issued: compare it with the one that is registered. */
  readonly aud: string
  readonly sub: string
  readonly email: string | undefined
  /** Whether the issuer says that the e-mail address is that person's. */
  readonly emailVerified: boolean
  readonly nonce: string | undefined
  /** A second nonce, for issuers that fill the first themselves. */
  readonly tknonce: string | undefined
  readonly expMs: number
}

type Context<P> = {
  readonly parameters: P
  /** The vault's own time. */
  readonly nowMs: number
  /** The user whose stamp the request carries, and the organization to which that user belongs. */
  readonly caller: { readonly user: User; readonly organizationId: string; readonly organizationName: string }
}
export type QueryContext<P> = Context<P> & {
  readonly organization: OrganizationReader
  /** An activity as the caller sees it, in the caller's dialect. */
  readonly showActivity: (activity: Activity) => Readonly<Record<string, unknown>>
}
export type ActivityContext<P> = Context<P> & {
  readonly organization: OrganizationWriter
  readonly keys: Keys
  readonly limits: Limits
  readonly newId: () => string
  /** What a token says that `oidcTokens` named. Asking for another one is a bug. */
  readonly oidcIdentity: (token: string) => OidcIdentity
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
  reads(parameters: never): readonly Need[]
  run(context: QueryContext<never>): unknown
}

export type ActivityVersion = {
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  readonly parameters: TSchema
}

/** A type and what is left of the operation once that type's parameters are known. */
export type AcceptedType = ActivityVersion & {
  /** Parameters of this type in the form of the newest one. */
  upgrade(parameters: never): unknown
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
  check(parameters: never): void
  reads(parameters: never): readonly Need[]
  ownerOf(parameters: never): string | undefined
  oidcTokens(parameters: never): readonly OidcToken[]
  run(context: ActivityContext<never>): unknown
}

/** How policies will speak of an activity; nothing evaluates it yet. `rootQuorumOnly`: no policy can grant it. */
export type Policy = { readonly resource: string; readonly action: string } | 'rootQuorumOnly'

export type Operation = Query | ActivityOperation

type QueryDefinition<P extends TSchema, R extends TSchema> = {
  readonly name: string
  readonly summary: string
  readonly parameters: P
  readonly result: R
  readonly resolvesSubOrganization?: true
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  reads?(parameters: Static<P>): readonly Need[]
  run(context: QueryContext<Static<P>>): Static<R>
}

/** A read: `POST /public/v1/query/<name>` with a flat body. */
export function defineQuery<P extends TSchema, R extends TSchema>(definition: QueryDefinition<P, R>): Query {
  return {
    ...definition,
    kind: 'query',
    path: `/public/v1/query/${definition.name}`,
    resolvesSubOrganization: definition.resolvesSubOrganization === true,
    check: (parameters: Static<P>) => definition.check?.(parameters),
    reads: (parameters: Static<P>) => definition.reads?.(parameters) ?? [],
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
  readonly versions?: readonly OlderType<Static<P>>[]
  /** Changes no record, so that requests of one organization need not wait for one another. */
  readonly concurrent?: true
  /** What the schema cannot say: throws a `Failure` that names the field. */
  check?(parameters: Static<P>): void
  /** The user whose own credentials this changes: that user may, without any rule. */
  ownerOf?(parameters: Static<P>): string
  reads?(parameters: Static<P>): readonly Need[]
  /** Tokens in the parameters: verified after the rules and before `run`, with their issuers' keys. */
  oidcTokens?(parameters: Static<P>): readonly OidcToken[]
  run(context: ActivityContext<Static<P>>): Static<R> | Promise<Static<R>>
}

type OlderType<P> = ActivityVersion & { upgrade(parameters: never): P }

/** How an older type differs; `upgrade` is typed by its own parameters. */
export function olderType<P extends TSchema, N>(
  version: Omit<ActivityVersion, 'parameters'> & { readonly parameters: P; upgrade(parameters: Static<P>): N },
): ActivityVersion & { upgrade(parameters: never): N } {
  return version
}

/** A change: `POST /public/v1/submit/<name>` with the activity envelope. */
export function defineActivity<P extends TSchema, R extends TSchema>(
  definition: ActivityDefinition<P, R>,
): ActivityOperation {
  const { type, intentKey, resultKey, parameters } = definition
  const newest: AcceptedType = { type, intentKey, resultKey, parameters, upgrade: (given: Static<P>) => given }
  return {
    kind: 'activity',
    name: definition.name,
    path: `/public/v1/submit/${definition.name}`,
    summary: definition.summary,
    types: [newest, ...(definition.versions ?? [])],
    result: definition.result,
    policy: definition.policy,
    concurrent: definition.concurrent === true,
    check: (given: Static<P>) => definition.check?.(given),
    reads: (given: Static<P>) => definition.reads?.(given) ?? [],
    ownerOf: (given: Static<P>) => definition.ownerOf?.(given),
    oidcTokens: (given: Static<P>) => definition.oidcTokens?.(given) ?? [],
    run: (context: ActivityContext<Static<P>>) => definition.run(context),
  }
}
