import type { Dialect } from '../../protocol/wire/dialect.ts'
import { oneOf } from '../fields/fields.ts'

/**
 * Each provider has two names: the interface's neutral one, which records have, and the one that clients know. Both
 * dialects accept both names. An answer has the name of its dialect.
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

/** The provider names in records. */
export type OnRampProvider = (typeof onRampProviders)[number]['spec']
export type Oauth2Provider = (typeof oauth2Providers)[number]['spec']

export const OnRampProviderName = oneOf(onRampProviders.flatMap(({ spec, hosted }) => [spec, hosted]))
export const Oauth2ProviderName = oneOf(oauth2Providers.flatMap(({ spec, hosted }) => [spec, hosted]))

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
