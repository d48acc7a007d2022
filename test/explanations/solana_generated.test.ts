import {
  Authorized,
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  Lockup,
  MessageV0,
  PublicKey,
  StakeInstruction,
  StakeProgram,
  SystemInstruction,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Value } from '../../src/contract/explanation/explanation.ts'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import { memberOf, plain, valuesAt } from '../support/explanations.ts'
import { generatedRuns } from '../support/generated_runs.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

/**
 * Generated transactions are explained, signed by a server, and decoded from the signed bytes by web3.js. Instructions of
 * the token program, which web3.js does not know, are decoded as their source documents them. Each field and each account
 * is compared.
 */

vi.setConfig({ testTimeout: 120_000 })
const { done, submit, found } = await startOrganization()
const { addresses } = await done('create_wallet', {
  walletName: 'Treasury',
  accounts: [newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' })],
})
const signWith = String(addresses[0])
const payer = new PublicKey(signWith)
const tokens = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const token2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

/** What a library reads of an instruction, by our names. */
type Read = {
  readonly fields: Readonly<Record<string, unknown>>
  readonly accounts: Readonly<Record<string, PublicKey | undefined>>
}
type Kind = {
  readonly build: fc.Arbitrary<TransactionInstruction>
  readonly read: (instruction: TransactionInstruction) => Read
}

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes))
/** web3.js reads numbers of JavaScript in some instructions. */
const number = fc.maxSafeNat()
const u64 = fc.bigInt(0n, 2n ** 64n - 1n)
const seed = fc.string({ unit: 'grapheme', maxLength: 12 })
const given = fc.record({ one: key, two: key, three: key, program: key, lamports: number, space: number, seed })
const text = (given: PublicKey) => given.toBase58()

const ofSystem: Readonly<Record<string, Kind>> = {
  CreateAccount: {
    build: given.map(({ one, program: programId, ...rest }) =>
      SystemProgram.createAccount({ ...rest, fromPubkey: payer, newAccountPubkey: one, programId }),
    ),
    read: (instruction) => {
      const read = SystemInstruction.decodeCreateAccount(instruction)
      return {
        fields: { amount: BigInt(read.lamports), space: BigInt(read.space), ownerProgram: text(read.programId) },
        accounts: { fundingAccount: read.fromPubkey, newAccount: read.newAccountPubkey },
      }
    },
  },
  CreateAccountWithSeed: {
    build: given.map(({ one, two, program: programId, ...rest }) =>
      SystemProgram.createAccountWithSeed({
        ...{ ...rest, fromPubkey: payer, newAccountPubkey: one, basePubkey: two, programId },
      }),
    ),
    read: (instruction) => {
      const read = SystemInstruction.decodeCreateWithSeed(instruction)
      return {
        fields: {
          ...{ base: text(read.basePubkey), seed: read.seed, amount: BigInt(read.lamports) },
          ...{ space: BigInt(read.space), ownerProgram: text(read.programId) },
        },
        accounts: { fundingAccount: read.fromPubkey, newAccount: read.newAccountPubkey, baseAccount: read.basePubkey },
      }
    },
  },
  Assign: {
    build: given.map(({ one, program: programId }) => SystemProgram.assign({ accountPubkey: one, programId })),
    read: (instruction) => {
      const { accountPubkey, programId } = SystemInstruction.decodeAssign(instruction)
      return { fields: { ownerProgram: text(programId) }, accounts: { account: accountPubkey } }
    },
  },
  AssignWithSeed: {
    build: given.map(({ one, two, seed, program: programId }) =>
      SystemProgram.assign({ accountPubkey: one, basePubkey: two, seed, programId }),
    ),
    read: (instruction) => {
      const read = SystemInstruction.decodeAssignWithSeed(instruction)
      return {
        fields: { base: text(read.basePubkey), seed: read.seed, ownerProgram: text(read.programId) },
        accounts: { account: read.accountPubkey, baseAccount: read.basePubkey },
      }
    },
  },
  Allocate: {
    build: given.map(({ one, space }) => SystemProgram.allocate({ accountPubkey: one, space })),
    read: (instruction) => {
      const { accountPubkey, space } = SystemInstruction.decodeAllocate(instruction)
      return { fields: { space: BigInt(space) }, accounts: { account: accountPubkey } }
    },
  },
  AllocateWithSeed: {
    build: given.map(({ one, two, seed, space, program: programId }) =>
      SystemProgram.allocate({ accountPubkey: one, basePubkey: two, seed, space, programId }),
    ),
    read: (instruction) => {
      const read = SystemInstruction.decodeAllocateWithSeed(instruction)
      return {
        fields: {
          ...{ base: text(read.basePubkey), seed: read.seed, space: BigInt(read.space) },
          ...{ ownerProgram: text(read.programId) },
        },
        accounts: { account: read.accountPubkey, baseAccount: read.basePubkey },
      }
    },
  },
  Transfer: {
    build: fc
      .tuple(key, u64)
      .map(([toPubkey, lamports]) => SystemProgram.transfer({ fromPubkey: payer, toPubkey, lamports })),
    read: (instruction) => {
      const { fromPubkey, toPubkey, lamports } = SystemInstruction.decodeTransfer(instruction)
      return { fields: { amount: lamports }, accounts: { source: fromPubkey, destination: toPubkey } }
    },
  },
  TransferWithSeed: {
    build: given.map(({ one, two, three, lamports, seed, program: programId }) =>
      SystemProgram.transfer({ fromPubkey: one, basePubkey: two, toPubkey: three, lamports, seed, programId }),
    ),
    read: (instruction) => {
      const read = SystemInstruction.decodeTransferWithSeed(instruction)
      return {
        fields: { amount: read.lamports, seed: read.seed, ownerProgram: text(read.programId) },
        accounts: { source: read.fromPubkey, baseAccount: read.basePubkey, destination: read.toPubkey },
      }
    },
  },
  AdvanceNonceAccount: {
    build: given.map(({ one, two }) => SystemProgram.nonceAdvance({ noncePubkey: one, authorizedPubkey: two })),
    read: (instruction) => {
      const read = SystemInstruction.decodeNonceAdvance(instruction)
      return { fields: {}, accounts: { nonceAccount: read.noncePubkey, nonceAuthority: read.authorizedPubkey } }
    },
  },
  WithdrawNonceAccount: {
    build: given.map(({ one, two, three, lamports }) =>
      SystemProgram.nonceWithdraw({ noncePubkey: one, authorizedPubkey: two, toPubkey: three, lamports }),
    ),
    read: (instruction) => {
      const read = SystemInstruction.decodeNonceWithdraw(instruction)
      return {
        fields: { amount: BigInt(read.lamports) },
        accounts: {
          ...{ nonceAccount: read.noncePubkey, destination: read.toPubkey, nonceAuthority: read.authorizedPubkey },
        },
      }
    },
  },
  InitializeNonceAccount: {
    // web3.js builds it with an account. The second of the two instructions sets the authority.
    build: given.map(({ one, two, lamports }) => {
      const nonce = { fromPubkey: payer, noncePubkey: one, authorizedPubkey: two, lamports }
      const { instructions } = SystemProgram.createNonceAccount(nonce)
      return instructions[1] as TransactionInstruction
    }),
    read: (instruction) => {
      const read = SystemInstruction.decodeNonceInitialize(instruction)
      return { fields: { newAuthority: text(read.authorizedPubkey) }, accounts: { nonceAccount: read.noncePubkey } }
    },
  },
  AuthorizeNonceAccount: {
    build: given.map(({ one, two, three }) =>
      SystemProgram.nonceAuthorize({ noncePubkey: one, authorizedPubkey: two, newAuthorizedPubkey: three }),
    ),
    read: (instruction) => {
      const read = SystemInstruction.decodeNonceAuthorize(instruction)
      return {
        fields: { newAuthority: text(read.newAuthorizedPubkey) },
        accounts: { nonceAccount: read.noncePubkey, nonceAuthority: read.authorizedPubkey },
      }
    },
  },
}

const ofBudget: Readonly<Record<string, Kind>> = {
  RequestHeapFrame: {
    build: fc.nat(2 ** 32 - 1).map((bytes) => ComputeBudgetProgram.requestHeapFrame({ bytes })),
    read: (instruction) => {
      const { bytes } = ComputeBudgetInstruction.decodeRequestHeapFrame(instruction)
      return { fields: { bytes: BigInt(bytes) }, accounts: {} }
    },
  },
  SetComputeUnitLimit: {
    build: fc.nat(2 ** 32 - 1).map((units) => ComputeBudgetProgram.setComputeUnitLimit({ units })),
    read: (instruction) => {
      const { units } = ComputeBudgetInstruction.decodeSetComputeUnitLimit(instruction)
      return { fields: { computeUnitLimit: BigInt(units) }, accounts: {} }
    },
  },
  SetComputeUnitPrice: {
    build: u64.map((microLamports) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports })),
    read: (instruction) => {
      const { microLamports } = ComputeBudgetInstruction.decodeSetComputeUnitPrice(instruction)
      return { fields: { microLamportsPerComputeUnit: BigInt(microLamports) }, accounts: {} }
    },
  },
}

const ofStake: Readonly<Record<string, Kind>> = {
  Initialize: {
    build: given.map(({ one, two, three, program, space: epoch, lamports: unixTimestamp }) =>
      StakeProgram.initialize({
        ...{
          stakePubkey: one,
          authorized: new Authorized(two, three),
          lockup: new Lockup(unixTimestamp, epoch, program),
        },
      }),
    ),
    read: (instruction) => {
      const { stakePubkey, authorized, lockup } = StakeInstruction.decodeInitialize(instruction)
      return {
        fields: {
          ...{ staker: text(authorized.staker), withdrawer: text(authorized.withdrawer) },
          ...{ lockupUnixTimestamp: BigInt(lockup?.unixTimestamp ?? -1), lockupEpoch: BigInt(lockup?.epoch ?? -1) },
          custodian: lockup && text(lockup.custodian),
        },
        accounts: { stakeAccount: stakePubkey },
      }
    },
  },
  Authorize: {
    build: fc.tuple(given, fc.constantFrom(0, 1)).map(([{ one, two, three }, index]) => {
      const authority = { stakePubkey: one, authorizedPubkey: two, newAuthorizedPubkey: three }
      const { instructions } = StakeProgram.authorize({ ...authority, stakeAuthorizationType: { index } })
      return instructions[0] as TransactionInstruction
    }),
    read: (instruction) => {
      const read = StakeInstruction.decodeAuthorize(instruction)
      const authorityType = ['Staker', 'Withdrawer'][read.stakeAuthorizationType.index]
      return {
        fields: { newAuthority: text(read.newAuthorizedPubkey), authorityType },
        accounts: { stakeAccount: read.stakePubkey, currentAuthority: read.authorizedPubkey },
      }
    },
  },
  DelegateStake: {
    build: given.map(({ one, two, three }) => {
      const delegation = { stakePubkey: one, authorizedPubkey: two, votePubkey: three }
      return StakeProgram.delegate(delegation).instructions[0] as TransactionInstruction
    }),
    read: (instruction) => {
      const { stakePubkey, votePubkey, authorizedPubkey } = StakeInstruction.decodeDelegate(instruction)
      return { fields: {}, accounts: { stakeAccount: stakePubkey, voteAccount: votePubkey, staker: authorizedPubkey } }
    },
  },
  Split: {
    // The first of the two instructions makes the new account.
    build: given.map(({ one, two, three, lamports }) => {
      const split = { stakePubkey: one, authorizedPubkey: two, splitStakePubkey: three, lamports }
      return StakeProgram.split(split, 0).instructions[1] as TransactionInstruction
    }),
    read: (instruction) => {
      const read = StakeInstruction.decodeSplit(instruction)
      return {
        fields: { amount: BigInt(read.lamports) },
        accounts: { stakeAccount: read.stakePubkey, newAccount: read.splitStakePubkey, staker: read.authorizedPubkey },
      }
    },
  },
  Withdraw: {
    build: given.map(({ one, two, three, lamports }) => {
      const withdrawal = { stakePubkey: one, authorizedPubkey: two, toPubkey: three, lamports }
      return StakeProgram.withdraw(withdrawal).instructions[0] as TransactionInstruction
    }),
    read: (instruction) => {
      const read = StakeInstruction.decodeWithdraw(instruction)
      return {
        fields: { amount: BigInt(read.lamports) },
        accounts: { stakeAccount: read.stakePubkey, destination: read.toPubkey, withdrawer: read.authorizedPubkey },
      }
    },
  },
  Deactivate: {
    build: given.map(({ one, two }) => {
      const { instructions } = StakeProgram.deactivate({ stakePubkey: one, authorizedPubkey: two })
      return instructions[0] as TransactionInstruction
    }),
    read: (instruction) => {
      const { stakePubkey, authorizedPubkey } = StakeInstruction.decodeDeactivate(instruction)
      return { fields: {}, accounts: { stakeAccount: stakePubkey, staker: authorizedPubkey } }
    },
  },
}

/** The fields of a token's instruction: an amount, decimals, a key, a kind of authority, or a key that may be none. */
type TokenField = 'amount' | 'decimals' | 'key' | 'authorityType' | 'optionalKey'
const authorityKinds = ['MintTokens', 'FreezeAccount', 'AccountOwner', 'CloseAccount']

/** As the source of the token program documents its instructions. */
const tokenInstructions: Readonly<
  Record<string, readonly [prefix: readonly number[], fields: Readonly<Record<string, TokenField>>, roles: string]>
> = {
  InitializeMint: [[0], { decimals: 'decimals', mintAuthority: 'key', freezeAuthority: 'optionalKey' }, 'mint rent'],
  InitializeAccount: [[1], {}, 'account mint owner rent'],
  Transfer: [[3], { amount: 'amount' }, 'source destination owner'],
  Approve: [[4], { amount: 'amount' }, 'source delegate owner'],
  Revoke: [[5], {}, 'source owner'],
  SetAuthority: [[6], { authorityType: 'authorityType', newAuthority: 'optionalKey' }, 'account currentAuthority'],
  MintTo: [[7], { amount: 'amount' }, 'mint destination mintAuthority'],
  Burn: [[8], { amount: 'amount' }, 'source mint owner'],
  CloseAccount: [[9], {}, 'account destination owner'],
  FreezeAccount: [[10], {}, 'account mint freezeAuthority'],
  ThawAccount: [[11], {}, 'account mint freezeAuthority'],
  TransferChecked: [[12], { amount: 'amount', decimals: 'decimals' }, 'source mint destination owner'],
  ApproveChecked: [[13], { amount: 'amount', decimals: 'decimals' }, 'source mint delegate owner'],
  MintToChecked: [[14], { amount: 'amount', decimals: 'decimals' }, 'mint destination mintAuthority'],
  BurnChecked: [[15], { amount: 'amount', decimals: 'decimals' }, 'source mint owner'],
  InitializeAccount2: [[16], { owner: 'key' }, 'account mint rent'],
  SyncNative: [[17], {}, 'account'],
  InitializeAccount3: [[18], { owner: 'key' }, 'account mint'],
  InitializeMint2: [[20], { decimals: 'decimals', mintAuthority: 'key', freezeAuthority: 'optionalKey' }, 'mint'],
  TransferCheckedWithFee: [
    ...([[26, 1], { amount: 'amount', decimals: 'decimals', withheldFee: 'amount' }] as const),
    'source mint destination owner',
  ],
  InitializePermanentDelegate: [[35], { delegate: 'key' }, 'mint'],
}

const fieldBytes: Readonly<Record<TokenField, fc.Arbitrary<Uint8Array>>> = {
  amount: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  decimals: fc.uint8Array({ minLength: 1, maxLength: 1 }),
  key: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  authorityType: fc.nat(3).map((kind) => Uint8Array.of(kind)),
  optionalKey: fc
    .option(fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map((bytes) => (bytes === null ? Uint8Array.of(0) : Uint8Array.of(1, ...bytes))),
}

/** Reads a field, and says how many bytes it took. */
function tokenField(kind: TokenField, data: Buffer): readonly [value: unknown, bytes: number] {
  const keyAt = (start: number) => text(new PublicKey(data.subarray(start, start + 32)))
  switch (kind) {
    case 'amount':
      return [data.readBigUInt64LE(), 8]
    case 'decimals':
      return [BigInt(data.readUInt8()), 1]
    case 'key':
      return [keyAt(0), 32]
    case 'authorityType':
      return [authorityKinds[data.readUInt8()], 1]
    case 'optionalKey':
      return data.readUInt8() === 0 ? [[], 1] : [keyAt(1), 33]
  }
}

const ofTokens = Object.fromEntries(
  Object.entries(tokenInstructions).map(([name, [prefix, fields, roles]]): [string, Kind] => {
    const names = roles.split(' ')
    const keys = fc.array(key, { minLength: names.length, maxLength: names.length })
    const data = fc.tuple(...Object.values(fields).map((kind) => fieldBytes[kind]))
    return [
      name,
      {
        build: fc.tuple(fc.constantFrom(tokens, token2022), keys, data).map(
          ([programId, pubkeys, parts]) =>
            new TransactionInstruction({
              programId,
              keys: pubkeys.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
              data: Buffer.concat([Uint8Array.from(prefix), ...parts]),
            }),
        ),
        read: ({ keys: accounts, data: bytes }) => {
          expect([...bytes.subarray(0, prefix.length)]).toEqual(prefix)
          let at = prefix.length
          const read = Object.entries(fields).map(([field, kind]) => {
            const [value, size] = tokenField(kind, bytes.subarray(at))
            at += size
            return [field, value]
          })
          return {
            fields: Object.fromEntries(read),
            accounts: Object.fromEntries(names.map((role, index) => [role, accounts[index]?.pubkey])),
          }
        },
      },
    ]
  }),
)

const kinds = { ...ofSystem, ...ofBudget, ...ofStake, ...ofTokens }

function serialized(...instructions: readonly TransactionInstruction[]): Uint8Array {
  const recentBlockhash = new PublicKey(new Uint8Array(32).fill(9)).toBase58()
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions: [...instructions] })
  return new VersionedTransaction(message.compileToV0Message()).serialize()
}

async function asked(bytes: Uint8Array) {
  const unsignedTransaction = Buffer.from(bytes).toString('hex')
  return submit('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction })
}

/** Has it signed, and returns its explanation with the signed bytes as web3.js reads them. */
async function explained(bytes: Uint8Array) {
  const { status, body } = await asked(bytes)
  expect(status, JSON.stringify(body)).toBe(200)
  const { explanation } = await found('explain_activity', { activityId: body.activity.id })
  const { signedTransaction } = body.activity.result.signTransactionResult
  const { message } = VersionedTransaction.deserialize(Buffer.from(String(signedTransaction), 'hex'))
  expect(message).toBeInstanceOf(MessageV0)
  const keyOf = (index: number) => message.staticAccountKeys[index] ?? PublicKey.default
  const signed = message.compiledInstructions.map(
    ({ programIdIndex, accountKeyIndexes, data }) =>
      new TransactionInstruction({
        programId: keyOf(programIdIndex),
        keys: accountKeyIndexes.map((index) => ({ pubkey: keyOf(index), isSigner: false, isWritable: false })),
        data: Buffer.from(data),
      }),
  )
  return { explanation, signed, lines: plainLines(explanation).map((line) => line.trim()) }
}

/** The accounts of a call by what they are to it. */
function accountsIn(call: Value | undefined): Readonly<Record<string, unknown>> {
  const accounts = memberOf(call, 'accounts')
  const items = accounts?.kind === 'list' ? accounts.items : []
  return Object.fromEntries(
    items.flatMap((item) => {
      const role = plain(memberOf(item, 'accountRole'))
      // A function of contracts has the name of this role.
      const name = role === 'tokenMint' ? 'mint' : role
      return typeof name === 'string' ? [[name, plain(memberOf(item, 'account'))]] : []
    }),
  )
}

/** What is shown of a call without the hex of its data, which shows every byte. */
const withoutData = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('data:'))
/** A server answers each in some milliseconds, so there are fewer runs than without one. */
const numRuns = Math.ceil(generatedRuns / 25)
const change = fc.record({
  tail: fc.constantFrom(1, 2, 8, 100),
  at: fc.nat(),
  flipped: fc.integer({ min: 1, max: 255 }),
})

test.for(Object.entries(kinds))(
  '%s is shown as web3.js reads it, and no change of a byte is silent',
  async ([name, { build, read }]) => {
    await fc.assert(
      fc.asyncProperty(build, change, async (instruction, { tail, at, flipped }) => {
        const { programId, keys, data } = instruction
        const withData = (changed: Uint8Array) =>
          explained(serialized(new TransactionInstruction({ programId, keys, data: Buffer.from(changed) })))
        const whole = await withData(data)
        const [signed] = whole.signed
        if (signed === undefined) throw new Error('one instruction was signed')
        const { fields, accounts } = read(signed)
        const [call, ...more] = valuesAt(whole.explanation, 'calls', 'call')
        expect(more).toEqual([])
        expect(plain(memberOf(call, 'instruction'))).toBe(name)
        for (const [role, account] of Object.entries(accounts)) {
          expect(accountsIn(call)[role], role).toBe(account?.toBase58())
        }
        const expectFields = (shown: Value | undefined) => {
          for (const [field, value] of Object.entries(fields))
            expect(plain(memberOf(shown, field)), field).toEqual(value)
        }
        expectFields(call)
        expect(unreadIn(whole.lines)).toEqual([])

        // A tail is said in the title, and changes nothing else.
        const longer = await withData(Buffer.concat([data, Buffer.alloc(tail, 0x5a)]))
        expect(unreadIn(longer.lines)).toEqual([`warning: [${tail} bytes that are signed are not read]`])
        expect(longer.lines[0]).toMatch(/^WARNING: /)
        expectFields(valuesAt(longer.explanation, 'calls', 'call')[0])

        // Any other byte is shown as something else.
        const other = await withData(data.map((byte, index) => (index === at % data.length ? byte ^ flipped : byte)))
        expect(withoutData(other.lines)).not.toEqual(withoutData(whole.lines))

        // What ends early is unread.
        if (data.length === 1) return
        const short = await withData(data.subarray(0, -1))
        expect(unreadIn(short.lines)).toEqual([`warning: [${data.length - 1} bytes that are signed are not read]`])
        expect(short.lines[0]).toMatch(/^WARNING: /)
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
