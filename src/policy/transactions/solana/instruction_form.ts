/** How the fields of an instruction's data are encoded. All numbers are little-endian. */
export type FieldType =
  | 'u8'
  | 'u16'
  | 'i16'
  | 'u32'
  | 'u64'
  | 'i64'
  /** A u64 of lamports. */
  | 'lamports'
  /** A u64 of a token's smallest unit. */
  | 'tokens'
  /** A byte 1 and then the value, or a byte 0. */
  | 'optionalLamports'
  | 'optionalKey'
  | 'optionalU64'
  | 'optionalI64'
  | 'key'
  /** A key, or as many zeros for none. */
  | 'nonZeroKey'
  /** How many there are as u64, and then the keys. */
  | 'keys'
  /** Its length in bytes as u64, and then UTF-8. */
  | 'text'
  /** A byte that stands for one of `authorityTypes`. */
  | 'authorityType'
  /** A byte that stands for one of `accountStates`. */
  | 'accountState'
  /** A u32 that stands for one of `stakeAuthorities`. */
  | 'stakeAuthority'
  /** A u32 that stands for one of `voteAuthorities`. */
  | 'voteAuthority'
  /** Numbers of two bytes that stand for extensions of `accountExtensions`, up to the end. */
  | 'accountExtensions'
  /** Everything that follows. */
  | 'bytes'

/** The transfer that an instruction makes by itself, from one of its accounts to another. */
type Moves = { readonly asset: 'lamports' | 'tokens'; readonly from: string; readonly to: string }

/**
 * One instruction of a program. `prefix`: the bytes that begin its data. `code`: its name in the program's source.
 * `fields`: what follows the prefix, in its order. An amount that the instruction moves is the field `amount`. `roles`: its
 * accounts in their order; `signers` stands for all that follow.
 */
export type InstructionForm<Code extends string = string> = {
  readonly prefix: readonly number[]
  readonly code: Code
  readonly fields: Readonly<Record<string, FieldType>>
  readonly roles: readonly string[]
  readonly moves?: Moves
  /** It changes nobody's control, and moves nothing but the rent of an account of tokens that it opens. */
  readonly isHarmless?: true
  readonly kind?: InstructionKind
  /**
   * The address of the first of its sysvars. An instruction that has another account in this place has no sysvars: the
   * next roles take their places (stake program from version 5 on).
   */
  readonly firstSysvar?: string
}

/** The kinds of instructions that explanations tell apart. */
type InstructionKind =
  /** It moves what it moves to somebody, and nothing else happens. */
  | 'payment'
  /** It lets a delegate spend its field `amount`. */
  | 'allowance'
  /** It makes an account of the System program, and fails if the account holds lamports. */
  | 'newAccount'
  /** It makes an account of the System program, which may hold lamports already. */
  | 'prefundedAccount'
  /** It opens an account of tokens. */
  | 'newTokenAccount'

type Rest = Pick<InstructionForm, 'moves' | 'isHarmless' | 'kind' | 'firstSysvar'>

/** `roles` in one text, with blanks between. */
export function form<const Code extends string>(
  prefix: readonly number[],
  code: Code,
  fields: InstructionForm['fields'] = {},
  roles = '',
  rest: Rest = {},
): InstructionForm<Code> {
  return { prefix, code, fields, roles: roles === '' ? [] : roles.split(' '), ...rest }
}

/** The number of an instruction or a variant, as bincode writes it. */
export const u32 = (number: number) => [number, 0, 0, 0]

/** The field of an instruction that moves lamports. */
export const inLamports = { amount: 'lamports' } as const
export const lamports = (from: string, to: string): Rest => ({ moves: { asset: 'lamports', from, to } })
export const tokens: Rest = { moves: { asset: 'tokens', from: 'source', to: 'destination' } }
export const harmless: Rest = { isHarmless: true }
export const allowance: Rest = { kind: 'allowance' }
export const clockFirst: Rest = { firstSysvar: 'SysvarC1ock11111111111111111111111111111111' }
export const rentFirst: Rest = { firstSysvar: 'SysvarRent111111111111111111111111111111111' }
export const payment = (moves: Rest): Rest => ({ ...moves, kind: 'payment' })
