import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatedRuns } from '../../../../test/support/generated_runs.ts'
import { solanaLamportMoves } from '../../language/names/payload_types.ts'
import { builtInPrograms, type InstructionId, readInstruction, tokenPrograms } from './read_instruction.ts'
import { budgetFeesOf, flatCalls, movesOf, readCall } from './solana_calls.ts'

const programs = [...builtInPrograms.keys()]
const prefixes = [...builtInPrograms.values()].flatMap(({ forms }) => forms.map(({ prefix }) => prefix))
const bytes = fc.uint8Array({ maxLength: 150 })
/** Bytes that begin as an instruction does, so that most are read. */
const data = fc.oneof(
  bytes,
  fc.tuple(fc.constantFrom(...prefixes, [255]), bytes).map(([prefix, rest]) => Uint8Array.of(...prefix, ...rest)),
)
const program = fc.constantFrom(...programs)

test('any bytes are read as a prefix of themselves, and nothing throws', () => {
  let read = 0
  fc.assert(
    fc.property(program, data, fc.uint8Array({ minLength: 1, maxLength: 9 }), (called, given, more) => {
      const found = readInstruction(called, given)
      if (found === undefined) return
      read += 1
      expect(found.unreadBytes).toBeGreaterThanOrEqual(0)
      expect(found.unreadBytes).toBeLessThanOrEqual(given.length - found.form.prefix.length)
      expect([...found.fields.keys()]).toEqual(Object.keys(found.form.fields))
      const longer = readInstruction(called, Uint8Array.of(...given, ...more))
      if (Object.values(found.form.fields).includes('bytes') || found.form.prefix.length === 0) return
      if (builtInPrograms.get(called)?.refusesTail === true) expect(longer).toBeUndefined()
      // A byte more may make another instruction of the same prefix, such as a transfer with a fee.
      else if (longer?.form === found.form) {
        expect(longer).toEqual({ ...found, unreadBytes: found.unreadBytes + more.length })
      }
    }),
    { numRuns: 30 * generatedRuns },
  )
  expect(read).toBeGreaterThan(generatedRuns)
})

test('any calls have moves and fees, and a batch has no batch in it', () => {
  const account = fc.record({
    ...{ key: fc.constantFrom('a', 'b', 'c'), signer: fc.boolean(), writable: fc.boolean() },
  })
  const call = fc
    .record({ program, accounts: fc.array(account, { maxLength: 12 }), data })
    .map((given) => readCall(given))
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), (calls) => {
      const flat = flatCalls(calls)
      expect(flat.flatMap(({ batch }) => batch)).toEqual([])
      for (const asset of ['lamports', 'tokens'] as const) {
        for (const { call: moving, from, to } of movesOf(flat, asset)) {
          expect(moving.accounts).toEqual(expect.arrayContaining([from, to]))
        }
      }
      const { priorityFeeLamports } = budgetFeesOf(calls)
      expect(priorityFeeLamports >= 0n && priorityFeeLamports < 2n ** 64n).toBe(true)
    }),
    { numRuns: 10 * generatedRuns },
  )
})

test('a batch of parts is read as these parts, whatever they are', () => {
  const key = (index: number) => ({ key: String(index), signer: false, writable: true })
  const part = fc.tuple(
    fc.nat(4),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).filter(([first]) => first !== 255),
  )
  fc.assert(
    fc.property(fc.constantFrom(...tokenPrograms), fc.array(part, { minLength: 1, maxLength: 5 }), (called, parts) => {
      const accounts = Array.from({ length: parts.reduce((sum, [count]) => sum + count, 0) }, (_, index) => key(index))
      const inner = parts.flatMap(([count, given]) => [count, given.length, ...given])
      const { batch } = readCall({ program: called, accounts, data: Uint8Array.of(255, ...inner) })
      expect(batch.map(({ data: read }) => read)).toEqual(parts.map(([, given]) => given))
      expect(batch.flatMap((one) => one.accounts)).toEqual(accounts)
      expect(batch.map((one) => one.accounts.length)).toEqual(parts.map(([count]) => count))
    }),
    { numRuns: generatedRuns },
  )
})

test('the language of policies names each instruction that moves lamports', () => {
  const forms = [...builtInPrograms.values()].flatMap((called) => called.forms)
  const moving = forms.filter(({ moves }) => moves?.asset === 'lamports').map(({ code }) => code)
  expect(new Set<string>(solanaLamportMoves)).toEqual(new Set(moving))
})

test('instructions of one name in two programs are two, also to the compiler', () => {
  const authorize = Uint8Array.of(1, 0, 0, 0, ...new Uint8Array(36))
  const ids: readonly (InstructionId | undefined)[] = ['stakeProgram.Authorize', 'voteProgram.Authorize']
  const [stakes, votes] = ['Stake11111111111111111111111111111111111111', 'Vote111111111111111111111111111111111111111']
  expect([stakes, votes].map((address) => readInstruction(address, authorize)?.id)).toEqual(ids)
  // @ts-expect-error: the program has no such instruction.
  const wrong: InstructionId = 'voteProgram.Split'
  expect(ids).not.toContain(wrong)
})
