import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import { type CompiledExpression, compileCondition, compileConsensus, refuseNeverEqual } from './policy_expressions.ts'

const secret = new Uint8Array(32).fill(2)
const [k1, long] = [true, false].map((isCompressed) => bytesToHex(secp256k1.getPublicKey(secret, isCompressed)))
const [r1, longR1] = [true, false].map((isCompressed) => bytesToHex(p256.getPublicKey(secret, isCompressed)))
const ed = bytesToHex(ed25519.getPublicKey(secret))
/** No point of secp256k1 and none of P-256 has this abscissa, and no point of Ed25519 these bytes. */
const noPoint = `02${'00'.repeat(31)}07`
const noEd = `${'02'.padEnd(62, '0')}00`
const cose = `a5010203262001215820${longR1?.slice(2, 66)}225820${longR1?.slice(66)}`

/** The columns of what is called no point of its curve. What is no key by its form has another reason. */
const columnsOf = ({ neverEqual }: CompiledExpression) =>
  neverEqual.filter(({ reason }) => reason.includes('no point of its curve')).map(({ column }) => column)
const inCondition = (text: string) => columnsOf(compileCondition(text))
const inConsensus = (text: string) => columnsOf(compileConsensus(text))

describe('a written public key that is no point is named with its column', () => {
  test.each([
    [`wallet_account.public_key == '${noPoint}'`, [30]],
    [`'${noPoint}' != wallet_account.public_key`, [1]],
    [`wallet_account.public_key in ['${k1}', '0x${noPoint.toUpperCase()}', '${noEd}']`, [101, 173]],
    [`['${noEd}'].contains(wallet_account.public_key)`, [2]],
    [`['${noEd}'].any(k, k == wallet_account.public_key)`, [2]],
    [`eth.tx.value > 1 || !(wallet_account.public_key == ('${long?.slice(0, -1)}2'))`, [52]],
    [`activity.params.target_public_key == '${k1}'`, [38]],
    [`activity.params.target_public_key == '${long}'`, [38]],
  ])('%s', (text, columns) => {
    expect(inCondition(text)).toEqual(columns)
    expect(() => refuseNeverEqual(compileCondition(text), 'parameters.condition')).toThrow(
      `parameters.condition: column ${columns[0]}: this is no public key: it is no point of its curve`,
    )
  })

  test('in a consensus', () => {
    expect(inConsensus(`credentials.any(c, c.public_key == '${noPoint}')`)).toEqual([36])
    expect(inConsensus(`['${noPoint}'].all(k, credentials.any(c, c.public_key == k))`)).toEqual([2])
    expect(inConsensus(`credentials.any(c, c.public_key == '${cose.slice(0, -2)}00')`)).toEqual([36])
  })
})

describe('what may be a key is accepted', () => {
  test.each([
    ...[k1, long, r1, longR1, ed, `0x${k1?.toUpperCase()}`].map((key) => `wallet_account.public_key == '${key}'`),
    ...[r1, longR1].map((key) => `activity.params.target_public_key == '${key}'`),
    `wallet_account.public_key[0..66] == '${noPoint}'`,
    `eth.eip_712.message['key'] == '${noPoint}'`,
    "wallet_account.public_key == 'no key'",
  ])('%s', (text) => {
    expect(inCondition(text)).toEqual([])
  })

  test('in a consensus', () => {
    for (const key of [k1, r1, ed, cose])
      expect(inConsensus(`credentials.any(c, c.public_key == '${key}')`)).toEqual([])
  })
})
