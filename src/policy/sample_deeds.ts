import type { Expression } from './language/syntax.ts'
import { everyPart } from './language/syntax.ts'
import type { Struct, Value } from './language/values.ts'

/**
 * A signature that does harm: somebody of whom a condition names nothing gets much, or may spend it. Only what makes it
 * harmful is known of it. All else is as the condition likes it.
 */
export type SampleDeed = {
  readonly chain: Chain
  /** Fields that are known. */
  readonly facts: Struct
  /** Lists with known items, by their paths. */
  readonly lists: ReadonlyMap<string, SampleList>
  /** Texts of which some characters are known, by their paths. `?` stands for any other one. */
  readonly texts: ReadonlyMap<string, string>
}

type Chain = 'eth' | 'solana' | 'tron' | 'bitcoin' | 'tempo'

/** `harm`: the item that does harm, at the beginning or the end. `hasOthers`: whether any others stand beside it. */
export type SampleList = { readonly harm?: Value; readonly isFirst: boolean; readonly hasOthers: boolean }

/** The name of the item that does harm, as the path of what is in it. */
export const harmOf = (path: string) => `${path}#harm`

const stranger = '\0stranger'
/** More than anybody who sends little means. */
const much = 10n ** 27n

/** Any function, an address, and less than 2^128: `transfer`, `approve` and their like, then `transferFrom`. */
const word = { address: `${'0'.repeat(24)}${'?'.repeat(40)}`, amount: `${'0'.repeat(32)}${'?'.repeat(32)}` }
const calls = [`${word.address}${word.amount}`, `${word.address}${word.address}${word.amount}`].map(
  (given) => `${'?'.repeat(8)}${given}`,
)

const system = '1'.repeat(32)
const tokenPrograms = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb']

type Placed = Pick<SampleList, 'isFirst' | 'hasOthers'>
const places: readonly Placed[] = [
  { isFirst: true, hasOthers: false },
  { isFirst: true, hasOthers: true },
  { isFirst: false, hasOthers: true },
]

const ethereum = calls.map(
  (call): SampleDeed => ({
    chain: 'eth',
    facts: { eth: { tx: { to: stranger, value: 0n } } },
    lists: new Map(),
    texts: new Map([['eth.tx.data', `0x${call}`]]),
  }),
)

const tempo = calls.flatMap((call) =>
  places.map(
    (place): SampleDeed => ({
      chain: 'tempo',
      facts: {},
      lists: new Map([['tempo.tx.calls', { ...place, harm: { to: stranger } }]]),
      texts: new Map([[`${harmOf('tempo.tx.calls')}.input`, `0x${call}`]]),
    }),
  ),
)

const bitcoin = places.map(
  (place): SampleDeed => ({
    chain: 'bitcoin',
    facts: {},
    lists: new Map([
      ['bitcoin.tx.outputs', { ...place, harm: { value: much, address: stranger, script_pubkey: stranger } }],
    ]),
    texts: new Map(),
  }),
)

const tronContracts: readonly { readonly harm: Struct; readonly data?: string }[] = [
  { harm: { type: 'TransferContract', to_address: stranger, amount: much } },
  ...calls.map((data) => ({
    harm: { type: 'TriggerSmartContract', contract_address: stranger, call_value: 0n, call_token_value: 0n },
    data,
  })),
]
/** A transaction of Tron has one contract. */
const tron = tronContracts.map(
  ({ harm, data }): SampleDeed => ({
    chain: 'tron',
    facts: {},
    lists: new Map([['tron.tx.contract', { harm, isFirst: true, hasOthers: false }]]),
    texts: new Map(data === undefined ? [] : [[`${harmOf('tron.tx.contract')}.data`, data]]),
  }),
)

type SolanaHarm = {
  readonly program: string
  readonly data: string
  readonly move?: readonly [list: 'transfers' | 'spl_transfers' | 'lamport_transfers', item: Struct]
}

const gained = { to: stranger, amount: much }
/** The beginnings of CreateAccount, CreateAccountWithSeed and TransferWithSeed of the System program. */
const lamportMoves = ['00000000', '03000000', '0b000000']
const ofLamports = lamportMoves.map((start): SolanaHarm => {
  return { program: system, data: `${start}${'?'.repeat(96)}`, move: ['lamport_transfers', gained] }
})
/** Transfer and TransferChecked of a program for tokens, and Approve and ApproveChecked. */
const ofTokens = tokenPrograms.flatMap((program): readonly SolanaHarm[] => [
  ...['03', '0c'].map((start): SolanaHarm => {
    return { program, data: `${start}${'?'.repeat(18)}`, move: ['spl_transfers', gained] }
  }),
  ...['04', '0d'].map((start) => ({ program, data: `${start}${'?'.repeat(18)}` })),
])
/** Also a transfer of lamports, and a call of any program. */
const solanaHarms: readonly SolanaHarm[] = [
  { program: system, data: `02000000${'?'.repeat(16)}`, move: ['transfers', gained] },
  ...ofLamports,
  ...ofTokens,
  { program: stranger, data: '?'.repeat(64) },
]

const solana = solanaHarms.flatMap(({ program, data, move }) =>
  places.map((place): SampleDeed => {
    const [moved, item] = move ?? []
    const moves = (['transfers', 'spl_transfers', 'lamport_transfers'] as const).map(
      (name) => [`solana.tx.${name}`, name === moved && item !== undefined ? { ...place, harm: item } : place] as const,
    )
    return {
      chain: 'solana',
      facts: {},
      lists: new Map<string, SampleList>([
        ['solana.tx.instructions', { ...place, harm: { program_key: program } }],
        ['solana.tx.program_keys', { ...place, harm: program }],
        ['solana.tx.account_keys', { ...place, harm: stranger }],
        ...moves,
      ]),
      texts: new Map([[`${harmOf('solana.tx.instructions')}.instruction_data_hex`, data]]),
    }
  }),
)

const samples = [...ethereum, ...solana, ...tron, ...bitcoin, ...tempo]

/** Those of the chains that a condition speaks of. One that speaks of none limits nothing there. */
export function samplesFor(root: Expression): readonly SampleDeed[] {
  const named = new Set([...everyPart(root)].flatMap((part) => (part.kind === 'name' ? [part.name] : [])))
  return samples.filter(({ chain }) => named.has(chain))
}
