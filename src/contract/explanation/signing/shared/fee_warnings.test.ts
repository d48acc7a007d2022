import { expect, test } from 'vitest'
import { number } from '../../shown_values.ts'
import { btc, sol, trx, weiFees } from './coins.ts'
import { feeWarnings } from './fee_warnings.ts'

const allBounds = {
  SOL: sol.fees,
  TRX: trx.fees,
  BTC: btc.fees,
  ETH: weiFees(1n),
  POL: weiFees(137n),
  BNB: weiFees(56n),
}

for (const [coin, bounds] of Object.entries(allBounds)) {
  const warns = (fee: bigint, sent: bigint) => feeWarnings({ fee, sent, bounds, shown: number(fee) }).length > 0
  const { small, great } = bounds

  test(`${coin}: a fee above a tenth of what is sent is high, unless it is small`, () => {
    expect(warns(small + 1n, 10n * small + 9n)).toBe(true)
    expect(warns(small + 1n, 10n * small + 10n)).toBe(false)
    expect(warns(small, 1n)).toBe(false)
    expect(warns(great * 100n, great * 1_000n - 1n)).toBe(true)
    expect(warns(great * 100n, great * 1_000n)).toBe(false)
  })

  test(`${coin}: where nothing of the coin is sent, a fee has a bound of its own`, () => {
    expect(warns(great, 0n)).toBe(false)
    expect(warns(great + 1n, 0n)).toBe(true)
    expect(great).toBeGreaterThan(small)
  })
}

test('a coin that is not known has the bounds of ether', () => {
  expect(weiFees(987_654_321n)).toEqual(weiFees(1n))
  expect(weiFees(undefined)).toEqual(weiFees(1n))
  expect(weiFees(137n)).not.toEqual(weiFees(1n))
})
