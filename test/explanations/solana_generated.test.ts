import { AccountState, AuthorityType, ExtensionType } from '@solana/spl-token'
import {
  MessageV0,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Value } from '../../src/contract/explanation/explanation.ts'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import type { FieldType, InstructionForm } from '../../src/policy/transactions/solana/instruction_form.ts'
import { builtInPrograms } from '../../src/policy/transactions/solana/read_instruction.ts'
import { labelOf, memberOf, plain, valuesAt } from '../support/explanations.ts'
import { generatedRuns } from '../support/generated_runs.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { solanaWriter, type Values, withMembers } from '../support/solana_writers.ts'

/**
 * Each instruction that is read is generated, explained, signed by a server, and taken from the signed bytes by web3.js.
 * Then web3.js or spl-token writes what was shown, each field and account by its name: it must be what was signed, byte by
 * byte and account by account. So must it be after each change of the data or of the accounts.
 */

const { done, submit, found } = await startOrganization()
const { addresses } = await done('create_wallet', {
  walletName: 'Treasury',
  accounts: [newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' })],
})
const signWith = String(addresses[0])
/** A server answers each in some milliseconds, so there are fewer runs than without one. */
const numRuns = Math.ceil(generatedRuns / 50)
const payer = new PublicKey(signWith)
const tokens = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const token2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes))
/** web3.js writes no greater numbers in some instructions. */
const u64 = fc.maxSafeNat()
const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 9 })
const generators: Readonly<Record<FieldType, fc.Arbitrary<unknown>>> = {
  u8: fc.nat(2 ** 8 - 1),
  u16: fc.nat(2 ** 16 - 1),
  i16: fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
  u32: fc.nat(2 ** 32 - 1),
  u64,
  i64: fc.maxSafeInteger(),
  lamports: u64,
  tokens: fc.bigInt(0n, 2n ** 64n - 1n),
  optionalLamports: fc.option(u64),
  optionalU64: fc.option(u64),
  optionalI64: fc.option(fc.maxSafeInteger()),
  optionalKey: fc.option(key),
  key,
  nonZeroKey: fc.oneof(key, fc.constant(PublicKey.default)),
  keys: fc.array(key, { minLength: 1, maxLength: 3 }),
  text: fc.string({ unit: 'grapheme', maxLength: 12 }),
  authorityType: fc.nat(17),
  accountState: fc.nat(2),
  stakeAuthority: fc.nat(1),
  voteAuthority: fc.nat(1),
  accountExtensions: fc.array(fc.constantFrom(2, 5, 7, 8, 11, 13, 15, 27), { minLength: 1, maxLength: 5 }),
  bytes: anyBytes,
}

/** The authorities that spl-token has by longer names. */
const longerNames: Readonly<Record<string, string>> = {
  ScaledUiAmount: 'ScaledUiAmountConfig',
  Pause: 'PausableConfig',
}
/** The numbers of what has a name. */
const numbers: Readonly<Record<string, (name: string) => number>> = {
  authorityType: (name) => Number(AuthorityType[(longerNames[name] ?? name) as never]),
  accountState: (name) => Number(AccountState[name as never]),
  stakeAuthority: (name) => ['Staker', 'Withdrawer'].indexOf(name),
  voteAuthority: (name) => ['Voter', 'Withdrawer'].indexOf(name),
}

/** The name of an account in `Values`. */
const accountName = ({ fields }: InstructionForm, role: string) => (role in fields ? `${role}Account` : role)

function valuesOf(form: InstructionForm, programs: readonly string[]): fc.Arbitrary<Values> {
  const roles = form.roles.filter((role) => role !== 'signers')
  const isOfBoth = (form.prefix[0] ?? 0) < 25
  return fc.record({
    ...Object.fromEntries(roles.map((role) => [accountName(form, role), key])),
    ...Object.fromEntries(Object.entries(form.fields).map(([name, type]) => [name, generators[type]])),
    tokenProgram: fc.constantFrom(tokens, token2022),
    program: fc.constantFrom(...programs.slice(isOfBoth ? 0 : -1)).map((program) => new PublicKey(program)),
    signers: form.roles.includes('signers') ? fc.array(key, { maxLength: 2 }) : fc.constant([]),
  })
}

/** The accounts of a call in their order, each with its role if it has one. */
function accountsIn(call: Value | undefined) {
  const accounts = memberOf(call, 'accounts')
  return (accounts?.kind === 'list' ? accounts.items : []).map((item) => ({
    role: plain(memberOf(item, 'accountRole')),
    key: new PublicKey(String(plain(memberOf(item, 'account')))),
  }))
}

/** An instruction as it is shown, in the form that libraries take. */
function shownIn(call: Value | undefined, form: InstructionForm): Values {
  // A function of contracts has the name of the role of a mint.
  const named = accountsIn(call).map(({ role, key }) => [role === 'tokenMint' ? 'mint' : role, key] as const)
  return {
    program: new PublicKey(String(plain(memberOf(call, 'program')))),
    signers: named.flatMap(([role, key]) => (role === undefined ? [key] : [])),
    ...Object.fromEntries(named.map(([role, key]) => [accountName(form, String(role)), key])),
    ...Object.fromEntries(Object.entries(form.fields).map(([name, type]) => [name, taken(memberOf(call, name), type)])),
  }
}

function taken(value: Value | undefined, type: FieldType): unknown {
  const shown = plain(value)
  if (type === 'bytes')
    return value?.kind === 'hex' ? Buffer.from(value.hex.slice(2), 'hex') : Buffer.from(String(shown))
  if (type === 'accountExtensions')
    return (shown as readonly (keyof typeof ExtensionType)[]).map((one) => ExtensionType[one])
  if (type === 'keys') return (shown as readonly string[]).map((one) => new PublicKey(one))
  if (shown === 'everything' || Array.isArray(shown)) return type === 'nonZeroKey' ? PublicKey.default : null
  if (typeof shown === 'bigint' && type !== 'tokens') return Number.isSafeInteger(Number(shown)) ? Number(shown) : shown
  return value?.kind === 'address' ? new PublicKey(value.address) : (numbers[type]?.(String(shown)) ?? shown)
}

const forms = [...Map.groupBy(builtInPrograms, ([, { name }]) => name)].flatMap(([programName, programs]) =>
  (programs[0]?.[1].forms ?? []).map((form: InstructionForm) => ({
    ...{ form, programName, id: `${programName}.${form.code}` },
    programs: programs.map(([address]) => address),
  })),
)

function serialized(...instructions: readonly TransactionInstruction[]): Uint8Array {
  const recentBlockhash = new PublicKey(new Uint8Array(32).fill(9)).toBase58()
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions: [...instructions] })
  return new VersionedTransaction(message.compileToV0Message()).serialize()
}

async function asked(bytes: Uint8Array) {
  const unsignedTransaction = Buffer.from(bytes).toString('hex')
  return submit('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction })
}

type Signed = {
  readonly program: string | undefined
  readonly accounts: readonly (string | undefined)[]
  readonly data: Buffer
}

/** Has it signed, and returns its explanation with the signed bytes as web3.js reads them. */
async function explained(...instructions: readonly TransactionInstruction[]) {
  const { status, body } = await asked(serialized(...instructions))
  expect(status, JSON.stringify(body)).toBe(200)
  const { explanation } = await found('explain_activity', { activityId: body.activity.id })
  const { signedTransaction } = body.activity.result.signTransactionResult
  const { message } = VersionedTransaction.deserialize(Buffer.from(String(signedTransaction), 'hex'))
  expect(message).toBeInstanceOf(MessageV0)
  const keyAt = (index: number) => message.staticAccountKeys[index]?.toBase58()
  const signed = message.compiledInstructions.map(
    ({ programIdIndex, accountKeyIndexes, data }): Signed => ({
      ...{ program: keyAt(programIdIndex), accounts: accountKeyIndexes.map(keyAt), data: Buffer.from(data) },
    }),
  )
  const calls = valuesAt(explanation, 'calls', 'call')
  expect(calls.length).toBe(signed.length)
  return { calls, signed, lines: plainLines(explanation).map((line) => line.trim()) }
}

/** Checks that what is shown of an instruction is what was signed. Returns how many of its bytes are not read. */
function judged(
  call: Value | undefined,
  { signed, form, id }: { readonly signed: Signed | undefined; readonly form: InstructionForm; readonly id: string },
): number {
  const note = memberOf(call, 'unread')
  const [count] = (note?.kind === 'note' && note.code === 'unreadBytes' && note.values) || []
  const unread = Number(plain(count) ?? 0)
  expect(plain(memberOf(call, 'program'))).toBe(signed?.program)
  expect(accountsIn(call).map(({ key }) => key.toBase58())).toEqual(signed?.accounts)
  const code = plain(memberOf(call, 'instruction'))
  if (code === undefined) expect(unread).toBe(signed?.data.length)
  if (code !== form.code) return unread
  const values = shownIn(call, form)
  // web3.js does not write such numbers.
  if (!id.startsWith('tokenProgram') && Object.values(values).some((value) => typeof value === 'bigint')) return unread
  const { keys, data } = solanaWriter(id)(withMembers(values))
  expect(signed?.accounts).toEqual(keys.map(({ pubkey }) => pubkey.toBase58()))
  expect(signed?.data.subarray(0, data.length).toString('hex')).toBe(data.toString('hex'))
  // Without data it is the first instruction of this program.
  const read = id === 'associatedToken.Create' ? form.prefix.length : data.length
  // Bytes that are no text count as not read.
  const opaque = Object.entries(form.fields).filter(
    ([name, type]) => type === 'bytes' && memberOf(call, name)?.kind === 'hex',
  )
  expect(unread).toBe((signed?.data.length ?? 0) - (opaque.length === 0 ? read : form.prefix.length))
  return unread
}

const change = fc.record({
  tail: fc.constantFrom(1, 2, 8, 100),
  at: fc.nat(),
  flipped: fc.integer({ min: 1, max: 255 }),
})

/** A call as it is shown, without the hex of its data: that is the last row and shows every byte. */
function withoutData(call: Value | undefined): unknown {
  return call?.kind === 'tree' ? call.rows.filter((row) => row !== call.rows.at(-1) || labelOf(row) !== 'data') : call
}

test.for(forms)(
  '$id is shown as it is signed, and no change of a byte or of an account is silent',
  async ({ form, id, programs }) => {
    await fc.assert(
      fc.asyncProperty(valuesOf(form, programs), change, async (values, { tail, at, flipped }) => {
        const written = solanaWriter(id)(withMembers(values))
        const data = form.code === 'Create' ? Buffer.from(form.prefix) : written.data
        const { programId, keys } = written
        const movable = [...keys.keys()].filter((index) => Object.values(values).includes(keys[index]?.pubkey))
        const [one = 0, other = 0] = [0, 1].map((next) => movable[(at + next) % movable.length])
        const swapped = keys.map((key, index) => keys[index === one ? other : index === other ? one : index] ?? key)
        const withData = (changed: Uint8Array) =>
          new TransactionInstruction({ programId, keys, data: Buffer.from(changed) })
        const first = [
          withData(data),
          withData(Buffer.concat([data, Buffer.alloc(tail, 0x5a)])),
          ...(movable.length < 2 ? [] : [new TransactionInstruction({ programId, keys: swapped, data })]),
        ]
        const changed = data.map((byte, index) => (index === at % data.length ? byte ^ flipped : byte))
        const second =
          data.length === 0 ? [] : [withData(changed), ...(data.length > 1 ? [withData(data.subarray(0, -1))] : [])]
        const shown: unknown[] = []
        for (const instructions of [first, second]) {
          if (instructions.length === 0) continue
          const { calls, signed, lines } = await explained(...instructions)
          const unread = signed.reduce(
            (sum, instruction, index) => sum + judged(calls[index], { signed: instruction, form, id }),
            0,
          )
          expect(unreadIn(lines)).toEqual(
            unread === 0 ? [] : [`warning: [${unread} bytes that are signed are not read]`],
          )
          if (unread > 0) expect(lines[0]).toMatch(/^WARNING: /)
          shown.push(...calls.map(withoutData))
          if (instructions === first) expect(plain(memberOf(calls[0], 'instruction'))).toBe(form.code)
        }
        const [whole, ...others] = shown
        for (const mutant of others) expect(mutant).not.toEqual(whole)
      }),
      { numRuns, endOnFailure: true },
    )
  },
)

/** The warnings of bytes that nobody reads. */
function unreadIn(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith('warning: ') && line.includes('bytes that are signed'))
}

test('a length that is not encoded in its shortest form is refused', async () => {
  const bytes = serialized(SystemProgram.transfer({ fromPubkey: payer, toPubkey: token2022, lamports: 5 }))
  expect((await asked(bytes)).status).toBe(200)
  // The lengths of the signatures, the keys, the instructions, their accounts and their data.
  const keysAt = 1 + 64 + 1 + 3
  const instructionsAt = keysAt + 1 + 3 * 32 + 32
  for (const at of [0, keysAt, instructionsAt, instructionsAt + 2, instructionsAt + 5]) {
    const longer = Uint8Array.of(...bytes.subarray(0, at), (bytes[at] ?? 0) | 0x80, 0, ...bytes.subarray(at + 1))
    expect((await asked(longer)).status, `at ${at}`).toBe(400)
  }
})
