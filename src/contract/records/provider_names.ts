import type { Dialect } from '../../protocol/wire/dialect.ts'
import { oneOf } from '../fields/fields.ts'
import { named } from '../fields/named.ts'

/**
 * Each provider has two names: the interface's neutral one, and the one that clients know. Both dialects accept both
 * names. Records have the neutral one, and beside it the one that was given.
 */
type ProviderNames = { readonly [D in Dialect]: string }

export const onRampProviders = [
  { spec: 'FIAT_ON_RAMP_PROVIDER_PROVIDER_A', hosted: 'FIAT_ON_RAMP_PROVIDER_COINBASE' },
  { spec: 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B', hosted: 'FIAT_ON_RAMP_PROVIDER_MOONPAY' },
] as const

export const oauth2Providers = [
  { spec: 'OAUTH2_PROVIDER_PROVIDER_A', hosted: 'OAUTH2_PROVIDER_X' },
  { spec: 'OAUTH2_PROVIDER_PROVIDER_B', hosted: 'OAUTH2_PROVIDER_DISCORD' },
] as const

/** A name that a client gave. */
export type GivenOnRampProvider = (typeof onRampProviders)[number][Dialect]
export type GivenOauth2Provider = (typeof oauth2Providers)[number][Dialect]

/** The neutral names. By that of OAuth 2.0 the endpoints of a provider are known. */
export type OnRampProvider = (typeof onRampProviders)[number]['spec']
export type Oauth2Provider = (typeof oauth2Providers)[number]['spec']

export const OnRampProviderName = oneOf(
  onRampProviders.flatMap(({ spec, hosted }) => [spec, hosted]),
  named('FiatOnRampProvider'),
)
export const Oauth2ProviderName = oneOf(
  oauth2Providers.flatMap(({ spec, hosted }) => [spec, hosted]),
  named('Oauth2Provider'),
)

/** The name in one dialect of the provider whose name, in any dialect, is `name`. */
export function providerName<P extends ProviderNames, D extends Dialect>(
  providers: readonly P[],
  name: P[Dialect],
  dialect: D,
): P[D] {
  const provider = providers.find(({ spec, hosted }) => name === spec || name === hosted)
  if (provider === undefined) throw new Error(`there is no provider ${name}`)
  return provider[dialect]
}

/** The name in an answer: clients of `hosted` know only their own names, and others are given back what they gave. */
export function shownProvider<P extends ProviderNames>(
  providers: readonly P[],
  { name, given = name }: { readonly name: P[Dialect]; readonly given: P[Dialect] | undefined },
  dialect: Dialect,
): P[Dialect] {
  const known = providerName(providers, name, 'hosted')
  if (dialect === 'hosted') return known
  return providerName(providers, given, 'hosted') === known ? given : name
}
