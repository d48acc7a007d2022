import {
  AddressLookupTableProgram,
  Authorized,
  ComputeBudgetProgram,
  Lockup,
  PublicKey,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_RENT_PUBKEY,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  VoteInit,
} from '@solana/web3.js'
import { type Library, spl, writtenInstructions } from './written_instructions.ts'

/**
 * The fields and accounts of an instruction by our names, and its `program`. Accounts without a role are `signers`. An
 * account with the name of a field has `Account` behind it.
 */
export type Values = Readonly<Record<string, unknown>>
type Writer = (values: Values) => TransactionInstruction

/** The writer of an instruction such as `tokenProgram.Burn`. */
export function solanaWriter(id: string): Writer {
  const [program = '', code = ''] = id.split('.')
  if (id === 'lookupTableProgram.CreateLookupTable') return createLookupTable
  const { library, rows } = writtenInstructions[program] ?? { library: {}, rows: '' }
  const row = rows.split('\n').find((line) => line.trim().startsWith(`${code} `))
  const [, method = '', names = ''] = /^ *\w+ (\w+)\((.*)\)/.exec(row ?? '') ?? []
  if (method !== '') return library === spl ? bySpl(method, names) : byWeb3(library as Library, method, names)
  const [, prefix, fields = '', accounts = ''] = /^ *\w+ \[([\d ]*)\]([^|]*)\|?(.*)$/.exec(row ?? '') ?? []
  if (prefix === undefined) throw new Error(`nobody writes ${id}`)
  const isWide = library !== spl && library !== ComputeBudgetProgram
  return bySource(
    words(prefix).flatMap((number) => [Number(number), ...(isWide ? [0, 0, 0] : [])]),
    fields,
    accounts,
  )
}

const words = (text: string) => text.split(' ').filter((word) => word !== '')

function byWeb3(library: Library, method: string, names: string): Writer {
  return (values) => {
    const members = words(names).map((member) => {
      const [theirs = '', ours = theirs] = member.split('=')
      return [theirs, values[ours]]
    })
    // The second argument is the rent of an account that `StakeProgram.split` makes.
    const write = library[method] as (members: object, rent: number) => Transaction | TransactionInstruction
    const written = write.call(library, Object.fromEntries(members), 0)
    const instruction = written instanceof Transaction ? written.instructions.at(-1) : written
    if (instruction === undefined) throw new Error('web3.js writes one instruction')
    // It takes one key for the base and its account.
    const { base, baseAccount } = values
    const keys = instruction.keys.map((key) =>
      base instanceof PublicKey && key.pubkey.equals(base) ? keyed(baseAccount) : key,
    )
    return new TransactionInstruction({ ...instruction, keys })
  }
}

const keyed = (key: unknown) => ({ pubkey: key as PublicKey, isSigner: false, isWritable: true })

function bySpl(method: string, names: string): Writer {
  const write = spl[method] as (...values: readonly unknown[]) => TransactionInstruction
  return (values) => write(...words(names).map((name) => values[name]))
}

const wellKnown: Values = {
  '@clock': SYSVAR_CLOCK_PUBKEY,
  '@rent': SYSVAR_RENT_PUBKEY,
  '@system': SystemProgram.programId,
}

function bySource(prefix: readonly number[], fields: string, accounts: string): Writer {
  return (values) => {
    const data = words(fields).map((field) => {
      const [name = '', type = ''] = field.split(':')
      return encoded(type, values[name])
    })
    const keys = words(accounts).flatMap((role) => values[role] ?? wellKnown[role])
    return new TransactionInstruction({
      ...{ programId: values.program as PublicKey, keys: keys.map(keyed) },
      data: Buffer.concat([Uint8Array.from(prefix), ...data]),
    })
  }
}

function encoded(type: string, value: unknown): Uint8Array {
  if (type.startsWith('optional')) {
    return value === null ? Buffer.of(0) : Buffer.concat([Buffer.of(1), encoded(type.slice(8).toLowerCase(), value)])
  }
  if (type === 'key') return (value as PublicKey).toBytes()
  if (type === 'bytes') return value as Uint8Array
  if (type === 'text') {
    const text = Buffer.from(value as string)
    return Buffer.concat([encoded('u64', text.length), text])
  }
  const bits = Number(type.slice(1))
  const digits = BigInt.asUintN(bits, BigInt(value as bigint)).toString(16)
  return Buffer.from(digits.padStart(bits / 4, '0'), 'hex').reverse()
}

/** web3.js finds the address and its seed by hashes. Others are written in their place. */
function createLookupTable(values: Values): TransactionInstruction {
  const { tableAuthority: authority, fundingAccount: payer, recentSlot, lookupTable, bumpSeed } = values
  const [{ keys, data, programId }] = AddressLookupTableProgram.createLookupTable({
    ...{ authority: authority as PublicKey, payer: payer as PublicKey, recentSlot: recentSlot as number },
  })
  const seeded = Buffer.from(data).fill(Number(bumpSeed), data.length - 1)
  return new TransactionInstruction({ programId, keys: keys.with(0, keyed(lookupTable)), data: seeded })
}

/** Adds the members of web3.js that consist of several fields. */
export function withMembers(values: Values): Values {
  const of = (name: string) => values[name] as never
  return {
    ...{ ...values, authorityIndex: { index: values.authorityType } },
    authorized: new Authorized(of('staker'), of('withdrawer')),
    lockup: new Lockup(of('lockupUnixTimestamp'), of('lockupEpoch'), of('custodian')),
    voteInit: new VoteInit(of('validatorIdentity'), of('voter'), of('withdrawer'), of('commission')),
  }
}
