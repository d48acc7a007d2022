import { bytesToHex } from '@noble/hashes/utils.js'
import { expect, test } from 'vitest'
import { checkNewExpressions, compileCondition, guardHolds } from '../policy/decision/policy_expressions.ts'
import { type addressFormats, addressOf } from '../protocol/chains/address_formats.ts'
import { accountFacts } from './record_facts.ts'
import type { WalletAccount } from './records/records.ts'

const publicKey = Uint8Array.from({ length: 32 }, (_, index) => index + 1)
const curve = 'CURVE_ED25519'
const key = bytesToHex(publicKey)

function denies(condition: string, format: keyof typeof addressFormats): boolean {
  checkNewExpressions({ condition }, undefined, { isDenial: true })
  const address = addressOf({ format, curve, publicKey })
  const account = { address, publicKey: key, path: "m/44'/0'" } as WalletAccount
  return guardHolds(compileCondition(condition), { keywords: { wallet_account: accountFacts(account) } }) === true
}

test.each([
  ['ADDRESS_FORMAT_SUI', undefined],
  ['ADDRESS_FORMAT_APTOS', undefined],
  ['ADDRESS_FORMAT_SOLANA', key],
  ['ADDRESS_FORMAT_COMPRESSED', key],
] as const)('the 32 bytes of an account are the same with 0x and without: %s', (format, bytes) => {
  const digits = bytes ?? addressOf({ format, curve, publicKey }).slice(2)
  for (const text of [digits, `0x${digits}`, `0X${digits.toUpperCase()}`, digits.toUpperCase()]) {
    expect(denies(`wallet_account.address == '${text}'`, format), text).toBe(true)
    expect(denies(`wallet_account.address in ['${text}']`, format), text).toBe(true)
    expect(denies(`wallet_account.address != '${text}'`, format), text).toBe(false)
    const other = `${text.slice(0, -2)}${text.endsWith('00') ? '01' : '00'}`
    expect(denies(`wallet_account.address == '${other}'`, format), other).toBe(false)
  }
})
