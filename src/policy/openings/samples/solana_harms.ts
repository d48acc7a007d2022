import type { Struct } from '../../language/expression_values.ts'
import { constantOf } from '../../language/names/pieces.ts'
import { type Expression, everyPart, textsIn } from '../../language/syntax.ts'
import type { FieldType, InstructionForm } from '../../transactions/solana/instruction_form.ts'
import {
  builtInPrograms,
  systemProgram,
  token2022Program,
  tokenPrograms,
} from '../../transactions/solana/read_instruction.ts'
import { textOfSigner } from '../trials/terms.ts'
import { much, stranger } from './sample_values.ts'

export const listsOfMoves = ['transfers', 'spl_transfers', 'lamport_transfers'] as const
export type ListOfMoves = (typeof listsOfMoves)[number]

/**
 * An instruction that gives a stranger something. `moves`: what conditions see of it in the lists of transfers.
 * `isInData`: its data name the stranger, so its accounts may be any that the condition names.
 */
export type SolanaHarm = {
  readonly program: string
  /** The number of the instruction, and all its data. */
  readonly start: string
  readonly data: string
  readonly moves: readonly (readonly [list: ListOfMoves, item: Struct])[]
  readonly isInData: boolean
  /** It is one whatever it moves. */
  readonly hasAnyAmount?: true
  /** The accounts, of a transfer whose harm is the hook of the token: its amounts may be any. */
  readonly accounts?: readonly Struct[]
}

/** The names of accounts and fields that get something by an instruction. */
const getters: ReadonlySet<string> = new Set([
  ...['destination', 'delegate', 'newAuthority', 'ownerProgram'],
  ...['custodian', 'hookProgram', 'validatorIdentity'],
])

/** Both stakes have the same authorities. */
const betweenAlike: ReadonlySet<string> = new Set(['Merge', 'MoveStake', 'MoveLamports'])

const bytesOf: Partial<Record<FieldType, number>> = {
  ...{ u8: 1, u16: 2, i16: 2, u32: 4, u64: 8, i64: 8, lamports: 8, tokens: 8, key: 32, nonZeroKey: 32 },
  ...{ authorityType: 1, accountState: 1, stakeAuthority: 4, voteAuthority: 4 },
}

const startOf = ({ prefix }: Pick<InstructionForm, 'prefix'>) => Buffer.from(prefix).toString('hex')

/**
 * The data up to the first field that has no fixed length. Getters are none that a condition names, and neither are
 * amounts, unless any will do.
 */
function dataOf({ prefix, fields }: InstructionForm, { hasAnyAmount = false } = {}): string {
  let data = startOf({ prefix })
  for (const [name, type] of Object.entries(fields)) {
    const bytes = type === 'optionalKey' ? 32 : bytesOf[type]
    if (bytes === undefined) return data
    const isOpen = getters.has(name) || (name === 'amount' && !hasAnyAmount)
    data += `${type === 'optionalKey' ? '01' : ''}${(isOpen ? '?' : '*').repeat(2 * bytes)}`
  }
  return data
}

function harmsOf(program: string, form: InstructionForm): readonly SolanaHarm[] {
  const { code, fields, roles, moves, kind, isHarmless } = form
  // A program sets up what is new. Nobody had it before.
  if (isHarmless === true || code.startsWith('Initialize') || betweenAlike.has(code)) return []
  const harm = { program, start: startOf(form), data: dataOf(form) }
  const isInData = Object.keys(fields).some((name) => getters.has(name))
  if (moves === undefined) {
    const isGift = isInData || roles.some((role) => getters.has(role))
    return isGift ? [{ ...harm, moves: [], isInData }] : []
  }
  const moved = 'amount' in fields ? { amount: much } : {}
  const toStranger: SolanaHarm = { ...harm, moves: listed(form, { ...moved, to: stranger }), isInData: false }
  if (program === token2022Program && roles.includes('mint')) return [toStranger, hookHarm(harm)]
  if (kind === 'newAccount') return [toStranger, { ...harm, moves: listed(form, moved), isInData: true }]
  // The wallet that signs may be the account that is made, with all that it holds, whatever is moved to it.
  if (kind === 'prefundedAccount') {
    const ofAny = { data: dataOf(form, { hasAnyAmount: true }), hasAnyAmount: true } as const
    return [toStranger, { ...harm, ...ofAny, moves: listed(form, {}), isInData: true }]
  }
  return [toStranger]
}

/**
 * A transfer of a token whose mint, source and owner are a stranger's. The hook of the token gets the accounts behind the
 * owner, and acts for the key that signs among them.
 */
function hookHarm({ program, start, data }: Pick<SolanaHarm, 'program' | 'start' | 'data'>): SolanaHarm {
  const account = { account_key: stranger, signer: false, writable: true }
  const ofTransfer = [account, account, account, { ...account, signer: true }]
  const handed = [{ ...account, account_key: textOfSigner, signer: true }, account, account]
  const transfer = { from: stranger, to: stranger, owner: stranger, token_mint: stranger }
  return {
    program,
    start,
    data: data.replaceAll('?', '*'),
    moves: [['spl_transfers', { ...transfer, signers: handed.map(({ account_key: key }) => key) }]],
    isInData: false,
    accounts: [...ofTransfer, ...handed],
  }
}

function listed({ code, moves }: InstructionForm, item: Struct): SolanaHarm['moves'] {
  if (moves?.asset === 'tokens') return [['spl_transfers', item]]
  const inAll: SolanaHarm['moves'] = [['lamport_transfers', { ...item, instruction_name: code }]]
  return code === 'Transfer' ? [['transfers', item], ...inAll] : inAll
}

const ofPrograms: readonly SolanaHarm[] = [...builtInPrograms].flatMap(([program, { forms }]) =>
  forms.flatMap((form) => harmsOf(program, form)),
)

/** A call of any other program. */
const ofAnother: SolanaHarm = { program: stranger, start: '', data: '?'.repeat(64), moves: [], isInData: false }

const usual: ReadonlySet<string> = new Set([systemProgram, ...tokenPrograms])

/**
 * Moves of the usual programs, and whatever else the programs do of which a condition writes a piece of the address. A
 * condition that reads the beginnings of data alone tells apart only those that it writes.
 */
export function solanaHarmsFor(root: Expression): readonly SolanaHarm[] {
  const texts = textsIn(root).filter((text) => text !== '')
  const isWritten = (program: string) => texts.some((text) => program.includes(text))
  const harms = [
    ...ofPrograms.filter(({ program, moves }) => isWritten(program) || (usual.has(program) && moves.length > 0)),
    ofAnother,
  ]
  if (!readsBeginningsAlone(root)) return harms
  const isNamed = ({ start }: SolanaHarm) => texts.some((text) => text.includes(start) || start.includes(text))
  const alike = new Map(
    harms.toReversed().map((harm) => {
      const { program, moves, isInData, hasAnyAmount } = harm
      const seen = moves.map(([list, item]) => [list, Object.keys(item)])
      return [JSON.stringify([program, seen, isInData, hasAnyAmount, isNamed(harm) && harm.start]), harm]
    }),
  )
  return [...alike.values()]
}

/** An instruction begins with a number of up to four bytes. */
const beginningMax = 8n

function readsBeginningsAlone(root: Expression): boolean {
  const parts = [...everyPart(root)]
  const isField = (part: Expression, names: readonly string[]) => part.kind === 'field' && names.includes(part.name)
  if (parts.some((part) => isField(part, ['parsed_instruction_data', 'instruction_name']))) return false
  const beginnings = parts.filter(
    (part) =>
      part.kind === 'slice' &&
      isField(part.of, ['instruction_data_hex']) &&
      (constantOf(part.to) ?? beginningMax + 1n) <= beginningMax,
  )
  return beginnings.length === parts.filter((part) => isField(part, ['instruction_data_hex'])).length
}
