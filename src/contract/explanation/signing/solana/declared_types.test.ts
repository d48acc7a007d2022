import { expect, test } from 'vitest'
import { openDocument } from '../../../../policy/contracts/document.ts'
import { solanaProgramOf } from '../../../../policy/contracts/solana/solana_program.ts'
import { form, type InstructionForm, u32 } from '../../../../policy/transactions/solana/instruction_form.ts'
import { finished } from '../../../../protocol/tools/steps.ts'
import { isNamedAlike } from './solana_claims.ts'

const variants = (...names: readonly string[]) => ({ kind: 'enum', variants: names.map((name) => ({ name })) })
const types = [
  { name: 'Lamports', type: { kind: 'type', alias: 'u64' } },
  { name: 'Authority', type: variants('MintTokens', 'FreezeAccount') },
  { name: 'Swapped', type: variants('FreezeAccount', 'MintTokens') },
  { name: 'Filled', type: { kind: 'enum', variants: [{ name: 'MintTokens', fields: ['u8'] }] } },
]

/** Whether an IDL that names the instruction as it is declares its arguments with these types. */
function isAlike(known: InstructionForm, given: readonly unknown[], discriminator: readonly number[] = known.prefix) {
  const args = given.map((type, index) => ({ name: `a${index}`, type }))
  const instructions = [{ name: known.code, discriminator, accounts: [], args }]
  const [declared] = solanaProgramOf(
    finished(openDocument(JSON.stringify({ instructions, types }), 'idl')),
  ).instructions
  if (declared === undefined) throw new Error('no instruction')
  return isNamedAlike(known, {
    ...{ functionName: declared.name, accountNames: [], fields: declared.borshFields() },
    discriminatorBytes: declared.discriminator.length,
  })
}

const transfer = form(u32(2), 'Transfer', { amount: 'lamports' })
const setAuthority = form([6], 'SetAuthority', { authorityType: 'authorityType', newAuthority: 'optionalKey' })

test.each<[string, InstructionForm, readonly unknown[]]>([
  ['a number', transfer, ['u64']],
  ['another name of the type', transfer, [{ defined: 'Lamports' }]],
  ['more arguments, which are not known here', transfer, ['u64', 'u8']],
  ['no argument', transfer, []],
  ['keys', form([1], 'Keys', { one: 'key', other: 'nonZeroKey' }), ['publicKey', 'pubkey']],
  ['an option', setAuthority, ['u8', { option: 'pubkey' }]],
  ['an option that no argument is read of', setAuthority, ['u8', { coption: 'publicKey' }]],
  ['the words of a byte', setAuthority, [{ defined: 'Authority' }]],
  ['bytes to the end, which are not known here', form([], 'Memo', { text: 'bytes' }), ['string', 'u8']],
])('an IDL may declare %s as its program does', (_, known, given) => {
  expect(isAlike(known, given)).toBe(true)
})

test.each<[string, InstructionForm, readonly unknown[]]>([
  ['a smaller number', transfer, ['u8']],
  ['a number with a sign', transfer, ['i64']],
  ['two numbers for one', transfer, ['u32', 'u32']],
  ['an option for a value', transfer, [{ option: 'u64' }]],
  ['another option', setAuthority, ['u8', { option: 'u64' }]],
  ['words in another order', setAuthority, [{ defined: 'Swapped' }]],
  ['words with fields', setAuthority, [{ defined: 'Filled' }]],
  [
    'a byte for a number of four',
    form(u32(1), 'Authorize', { authorityType: 'voteAuthority' }),
    [{ defined: 'Authority' }],
  ],
  ['a text, whose length Borsh writes otherwise', form(u32(3), 'Seed', { seed: 'text' }), ['string']],
])('an IDL that declares %s is read otherwise than its program', (_, known, given) => {
  expect(isAlike(known, given)).toBe(false)
})

test('a discriminator of another length moves the arguments', () => {
  expect(isAlike(transfer, ['u64'], [2])).toBe(false)
  expect(isAlike(transfer, ['u64'], [2, 0, 0, 0, 5])).toBe(false)
})
