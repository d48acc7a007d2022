import {
  SYSVAR_RECENT_BLOCKHASHES_PUBKEY as blockhashes,
  type PublicKey,
  SYSVAR_RENT_PUBKEY as rent,
  StakeProgram,
  SystemInstruction,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, tokens } from '../support/explaining_solana.ts'

/** Only `CreateAccount` proves that an account is new. Every other one may hold lamports, and may be the wallet itself. */

const { payer, explainTransaction, shown, call: callWith } = await explainingSolana()
const [eve, made, program] = [key(5), key(6), key(7)]
const [stakes, system] = [StakeProgram.programId, SystemProgram.programId]

const u64 = (number: bigint) => [...new Uint8Array(BigUint64Array.of(number).buffer)]
const call = (programId: PublicKey, keys: readonly PublicKey[], ...data: readonly number[]) =>
  callWith(programId, keys, Buffer.from(data))
const titleOf = async (...instructions: TransactionInstruction[]) =>
  (await explainTransaction(...instructions)).lines[0] ?? ''
const itself = (one: PublicKey) => `${shown(one)}${one.equals(payer) ? ' itself' : ''}`
const control = (of: PublicKey, to: PublicKey) => `control of ${itself(of)} goes to ${shown(to)}`
const open = (of: PublicKey, by: PublicKey) =>
  `the program ${by} owns ${itself(of)} from then on, and whoever sets it up there first controls it`
const data = (of: PublicKey) => `${itself(of)} gets data, so its key can move nothing out of it any more`

type Prefund = { readonly lamports: bigint; readonly space: bigint; readonly owner: PublicKey }
const prefund = (accounts: readonly PublicKey[], { lamports, space, owner }: Prefund) =>
  call(system, accounts, 13, 0, 0, 0, ...u64(lamports), ...u64(space), ...owner.toBytes())
const setUpStake = (of: PublicKey, by: PublicKey) =>
  call(stakes, [of, rent], 0, 0, 0, 0, ...by.toBytes(), ...by.toBytes(), ...u64(0n), ...u64(0n), ...key(0).toBytes())
const setUpNonce = (of: PublicKey, by: PublicKey) => call(system, [of, blockhashes, rent], 6, 0, 0, 0, ...by.toBytes())
const create = (one: {
  readonly from?: PublicKey
  readonly of?: PublicKey
  readonly owner: PublicKey
  space?: number
}) =>
  SystemProgram.createAccount({
    ...{ fromPubkey: one.from ?? payer, newAccountPubkey: one.of ?? made, programId: one.owner },
    ...{ lamports: 900_000_000_000, space: one.space ?? 200 },
  })
const fromEve = SystemProgram.transfer({ fromPubkey: eve, toPubkey: payer, lamports: 1 })

test('a wallet that CreateAccountAllowPrefund takes away has a warning of each who gets control of it', async () => {
  const toStakes = prefund([payer, eve], { lamports: 1n, space: 200n, owner: stakes })
  expect(await titleOf(toStakes, setUpStake(payer, eve))).toContain(`WARNING: ${control(payer, eve)}`)
  expect(await titleOf(toStakes)).toContain(`WARNING: ${open(payer, stakes)}. Create the account ${shown(payer)}`)
  // Even for the wallet itself: its key pays no fees there any more.
  expect(await titleOf(toStakes, setUpStake(payer, payer))).toContain(`WARNING: ${open(payer, stakes)}. `)
  const own = prefund([made, payer], { lamports: 1n, space: 200n, owner: stakes })
  expect(await titleOf(own, setUpStake(made, payer))).toMatch(/^Call /)
  const toNonce = prefund([payer, eve], { lamports: 1n, space: 80n, owner: system })
  const both = await explainTransaction(toNonce, setUpNonce(payer, eve))
  expect(both.lines[0]).toContain(`WARNING: ${control(payer, eve)}`)
  expect(both.lines.join('\n')).toContain(data(payer))
  const toProgram = prefund([payer, eve], { lamports: 1n, space: 0n, owner: program })
  expect(await titleOf(toProgram)).toContain(`WARNING: ${control(payer, program)}. Create the account ${shown(payer)}`)
  expect(await titleOf(toProgram, fromEve)).toContain(`WARNING: ${control(payer, program)}. `)
  const locked = await explainTransaction(prefund([payer], { lamports: 0n, space: 1n, owner: system }))
  expect(locked.lines.join('\n')).toContain(data(payer))
  expect(locked.lines[0]).toMatch(/^WARNING: /)
})

test('who pays into an account that nobody proves to be new gets control of it with a warning', async () => {
  const allocate = SystemProgram.allocate({ accountPubkey: payer, space: 80 })
  expect(await titleOf(fromEve, allocate, setUpNonce(payer, eve))).toContain(control(payer, eve))
  const assign = SystemProgram.assign({ accountPubkey: payer, programId: stakes })
  expect(await titleOf(fromEve, allocate, assign, setUpStake(payer, eve))).toContain(control(payer, eve))
  const toMade = SystemProgram.transfer({ fromPubkey: eve, toPubkey: made, lamports: 1 })
  expect(await titleOf(toMade, setUpStake(made, eve))).toContain(`WARNING: ${control(made, eve)}`)
  const account = call(tokens, [made, key(4)], 18, ...eve.toBytes())
  expect(await titleOf(toMade, account)).toContain(`WARNING: ${control(made, eve)}`)
  // The account was not made before the instruction that gives control of it.
  const late = [setUpStake(made, eve), create({ from: eve, owner: stakes })]
  expect(await titleOf(...late)).toContain(control(made, eve))
  expect(await titleOf(create({ from: eve, owner: stakes }), setUpStake(made, eve))).toMatch(/^Call /)
  // A wallet that was emptied before is a wallet all the same.
  const own = create({ from: eve, of: payer, owner: stakes })
  expect(await titleOf(own, setUpStake(payer, eve))).toContain(`WARNING: ${control(payer, eve)}`)
})

test('an account that is made alone has the warnings that it has beside other calls', async () => {
  const called = SystemProgram.transfer({ fromPubkey: payer, toPubkey: key(2), lamports: 1 })
  for (const [instruction, warning] of [
    [create({ owner: stakes }), open(made, stakes)],
    [create({ owner: system, space: 80 }), open(made, system)],
    [create({ owner: program }), control(made, program)],
  ] as const) {
    expect(await titleOf(instruction)).toContain(`WARNING: ${warning}. Create the account ${made} of the program `)
    expect(await titleOf(instruction, called)).toContain(`WARNING: ${warning}`)
  }
  expect(await titleOf(create({ owner: system, space: 0 }))).toMatch(/^Create the account /)
  expect(await titleOf(create({ owner: system, space: 80 }), setUpNonce(made, payer))).toMatch(/^Call /)
})

test('a new account whose address somebody derives from a seed is theirs', async () => {
  const derived = (basePubkey: PublicKey) =>
    SystemProgram.createAccountWithSeed({
      ...{ fromPubkey: payer, newAccountPubkey: made, basePubkey, seed: 's' },
      ...{ lamports: 900_000_000_000, space: 0, programId: system },
    })
  expect(SystemInstruction.decodeCreateWithSeed(derived(eve)).basePubkey).toEqual(eve)
  expect(await titleOf(derived(eve))).toContain(`WARNING: ${control(made, eve)}. Create the account ${made}`)
  expect(await titleOf(derived(eve), fromEve)).toContain(`WARNING: ${control(made, eve)}`)
  expect(await titleOf(derived(payer))).toMatch(/^Create the account /)
})

test('an address that is derived from the wallet gets data, whatever accounts stand before the wallet', async () => {
  const text = [...u64(1n), 's'.charCodeAt(0)]
  const allocate = (base: PublicKey) =>
    call(system, [made, eve, payer], 9, 0, 0, 0, ...base.toBytes(), ...text, ...u64(8n), ...system.toBytes())
  expect(await titleOf(allocate(payer))).toContain(`WARNING: ${data(made)}`)
  expect(await titleOf(allocate(eve))).not.toContain(data(made))
})
