import { readFileSync } from 'node:fs'
import { PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { describe, expect, test } from 'vitest'
import { compileCondition, guardHolds } from '../../../../policy/decision/policy_expressions.ts'
import type { FieldType, InstructionForm } from '../../../../policy/transactions/solana/instruction_form.ts'
import {
  builtInPrograms,
  systemProgram,
  tokenPrograms,
} from '../../../../policy/transactions/solana/read_instruction.ts'
import { callsOfStruct } from '../../../../policy/transactions/solana/solana_calls.ts'
import { solanaStruct } from '../../../../policy/transactions/solana/solana_struct.ts'
import { parseSolanaTransaction } from '../../../../policy/transactions/solana/solana_transaction.ts'
import { finished } from '../../../../protocol/tools/steps.ts'
import { controlsBy } from './solana_controls.ts'

const key = (index: number) => new PublicKey(new Uint8Array(32).fill(index))
const bytesOf: Readonly<Partial<Record<FieldType, readonly number[]>>> = {
  u8: [1],
  u16: [1, 0],
  i16: [1, 0],
  u32: [1, 0, 0, 0],
  optionalLamports: [0],
  optionalU64: [0],
  optionalI64: [0],
  optionalKey: [1, ...key(7).toBytes()],
  key: [...key(7).toBytes()],
  nonZeroKey: [...key(7).toBytes()],
  text: [1, 0, 0, 0, 0, 0, 0, 0, 0x73],
  authorityType: [2],
  accountState: [1],
  stakeAuthority: [1, 0, 0, 0],
  voteAuthority: [1, 0, 0, 0],
  accountExtensions: [8, 0],
  bytes: [],
}
const u64 = [1, 0, 0, 0, 0, 0, 0, 0]
const keys = [...u64, ...key(7).toBytes()]

/** The roles that only programs have. */
const programs = new Map([
  ['systemProgram', new PublicKey(systemProgram)],
  ['tokenProgram', new PublicKey([...tokenPrograms][0] ?? '')],
])

/** An instruction with all of its fields and accounts. */
function instructionOf(program: string, { prefix, fields, roles }: InstructionForm): TransactionInstruction {
  const values = Object.values(fields).map((type) => (type === 'keys' ? keys : (bytesOf[type] ?? u64)))
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: roles.map((role, index) => ({
      pubkey: programs.get(role) ?? key(index + 20),
      isSigner: false,
      isWritable: true,
    })),
    data: Buffer.from([...prefix, ...values.flat()]),
  })
}

describe('the denial of the documentation', () => {
  const page = readFileSync('docs/policies.md', 'utf8')
  const denial = compileCondition(/^```solana\n.*\n(.*)\n```$/m.exec(page)?.[1] ?? '')
  const forms = [...builtInPrograms].flatMap(([program, { forms }]) => forms.map((form) => ({ program, form })))

  test.each(forms.map(({ program, form }) => [`${form.code} [${form.prefix}] of ${program}`, program, form] as const))(
    'denies what gives control or lets others spend, and nothing else: %s',
    (_, program, form) => {
      const message = new TransactionMessage({
        payerKey: key(1),
        recentBlockhash: key(9).toBase58(),
        instructions: [instructionOf(program, form)],
      }).compileToV0Message()
      const { message: parsed } = parseSolanaTransaction(new VersionedTransaction(message).serialize())
      const { struct: tx } = finished(solanaStruct(parsed, new Map()))
      const [call] = callsOfStruct(tx)
      if (call === undefined) throw new Error('the transaction has a call')
      expect(call.read?.form).toBe(form)
      const givesControl = controlsBy(call).some(({ isFirst }) => !isFirst)
      // An account that holds lamports already goes to a program.
      const isDenied = givesControl || form.kind === 'allowance' || form.kind === 'prefundedAccount'
      expect(guardHolds(denial, { keywords: { solana: { tx } } })).toBe(isDenied)
    },
  )
})
