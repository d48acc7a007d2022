import { expect, test } from 'vitest'
import { oauth2Providers, onRampProviders, providerName } from './provider_names.ts'

test('each provider is found by both of its names and has one name in each dialect', () => {
  expect(
    onRampProviders.map(({ spec, hosted }) => [
      providerName(onRampProviders, hosted, 'spec'),
      providerName(onRampProviders, spec, 'hosted'),
      providerName(onRampProviders, spec, 'spec'),
      providerName(onRampProviders, hosted, 'hosted'),
    ]),
  ).toEqual([
    [
      'FIAT_ON_RAMP_PROVIDER_PROVIDER_A',
      'FIAT_ON_RAMP_PROVIDER_COINBASE',
      'FIAT_ON_RAMP_PROVIDER_PROVIDER_A',
      'FIAT_ON_RAMP_PROVIDER_COINBASE',
    ],
    [
      'FIAT_ON_RAMP_PROVIDER_PROVIDER_B',
      'FIAT_ON_RAMP_PROVIDER_MOONPAY',
      'FIAT_ON_RAMP_PROVIDER_PROVIDER_B',
      'FIAT_ON_RAMP_PROVIDER_MOONPAY',
    ],
  ])
  expect(oauth2Providers.map(({ hosted }) => providerName(oauth2Providers, hosted, 'spec'))).toEqual([
    'OAUTH2_PROVIDER_PROVIDER_A',
    'OAUTH2_PROVIDER_PROVIDER_B',
  ])
})

test('no name belongs to two providers', () => {
  const names = [...onRampProviders, ...oauth2Providers].flatMap(({ spec, hosted }) => [spec, hosted])
  expect(new Set(names).size).toBe(names.length)
})
