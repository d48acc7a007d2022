import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finished } from '../../protocol/tools/steps.ts'
import { compileCondition, truthOf } from '../decision/policy_expressions.ts'
import { openedDeeds } from './opened_deeds.ts'

const supplier = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const known = { address: supplier, value: 500n }
const harm = { address: 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3', value: 10n ** 15n }
const activity = {
  type: 'ACTIVITY_TYPE_SIGN_TRANSACTION',
  kind: 'SIGN_TRANSACTION',
  resource: 'WALLET',
  action: 'SIGN',
}
const account = { path_indexes: [44n, 60n, 0n], path_hardened: [true, true, false] }
/** Signatures by which a stranger gets almost all bitcoins. */
const harmful = [[harm], [known, harm], [harm, known], [known, harm, known]].map((outputs) => ({
  ...{ activity, wallet_account: account },
  bitcoin: { tx: { outputs, inputs: [{ vout: 0n }, { vout: 1n }] } },
}))

const isKnown = `o.address == '${supplier}'`
const outputs = ['', `.filter(o, ${isKnown})`, `.filter(p, p.value < 1000).filter(o, !(${isKnown}))`].flatMap(
  (filter) => {
    const list = `bitcoin.tx.outputs${filter}`
    const tests = [isKnown, 'o.value < 1000', `${isKnown} && o.value < 1000`, `!(${isKnown}) || o.value > 9`]
    return [
      ...tests.flatMap((one) => [`${list}.any(o, ${one})`, `${list}.all(o, ${one})`]),
      ...[`${list}.count() == 1`, `${list}[0].value < 1000`],
    ]
  },
)
const others = [
  ['wallet_account.path_indexes', ['i == 44', 'i == 60', 'i < 100']],
  ['wallet_account.path_hardened', ['i', '!i']],
  ['bitcoin.tx.inputs', ['i.vout == 0', 'i.vout == 1']],
].flatMap(([list, tests = []]) => [...tests].flatMap((one) => [`${list}.any(i, ${one})`, `${list}.all(i, ${one})`]))

const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...outputs, ...others),
    tie('condition').map((inner) => `!(${inner})`),
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map((all) => `(${all.join(' ')})`),
  ),
}))

test('a condition of tests of lists that lets harm happen opens signatures', () => {
  fc.assert(
    fc.property(condition, (text) => {
      const compiled = compileCondition(text)
      fc.pre(harmful.some((keywords) => truthOf(compiled, { keywords }) === true))
      expect(finished(openedDeeds(compiled))).toContain('signatures')
    }),
    { numRuns: 100 },
  )
})
