import { constantOf } from './language/pieces.ts'
import { type Expression, everyPart } from './language/syntax.ts'
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
  /** Texts of which some characters are known, by their paths. `?` stands for any other one, `@` for one of the signer's address. */
  readonly texts: ReadonlyMap<string, string>
  /** Fields that are as the condition likes them, whatever it names there: the harm is elsewhere. By their paths. */
  readonly open: readonly string[]
}

type Chain = 'eth' | 'solana' | 'tron' | 'bitcoin' | 'tempo'

/** `harm`: the item that does harm. `at`: its index. `hasOthers`: whether any others stand beside it. */
export type SampleList = Place & { readonly harm?: Value }
type Place = { readonly at: number | 'last'; readonly hasOthers: boolean }

/** The name of the item that does harm, as the path of what is in it. */
export const harmOf = (path: string) => `${path}#harm`

const stranger = '\0stranger'
/** More than anybody who sends little means. */
const much = 10n ** 27n

/** Any function, an address, and less than 2^128: `transfer`, `approve` and their like, then `transferFrom` of the signer. */
const word = {
  address: `${'0'.repeat(24)}${'?'.repeat(40)}`,
  own: `${'0'.repeat(24)}${'@'.repeat(40)}`,
  amount: `${'0'.repeat(32)}${'?'.repeat(32)}`,
}
const calls = [`${word.address}${word.amount}`, `${word.own}${word.address}${word.amount}`].map(
  (given) => `${'?'.repeat(8)}${given}`,
)

const system = '1'.repeat(32)
const tokenPrograms = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb']

const alone: Place = { at: 0, hasOthers: false }

/** A call that gives tokens, whatever coins it takes along, and one that gives coins, whatever its data are. */
const ethereum: readonly SampleDeed[] = [
  ...calls.map(
    (call): SampleDeed => ({
      chain: 'eth',
      facts: { eth: { tx: { to: stranger } } },
      lists: new Map(),
      texts: new Map([['eth.tx.data', `0x${call}`]]),
      open: ['eth.tx.value'],
    }),
  ),
  {
    chain: 'eth',
    facts: { eth: { tx: { to: stranger, value: much } } },
    lists: new Map(),
    texts: new Map(),
    open: ['eth.tx.data'],
  },
]

const tempo = (places: readonly Place[]) =>
  calls.flatMap((call) =>
    places.map(
      (place): SampleDeed => ({
        chain: 'tempo',
        facts: {},
        lists: new Map([['tempo.tx.calls', { ...place, harm: { to: stranger } }]]),
        texts: new Map([[`${harmOf('tempo.tx.calls')}.input`, `0x${call}`]]),
        open: [],
      }),
    ),
  )

const bitcoin = (places: readonly Place[]) =>
  places.map(
    (place): SampleDeed => ({
      chain: 'bitcoin',
      facts: {},
      lists: new Map([
        ['bitcoin.tx.outputs', { ...place, harm: { value: much, address: stranger, script_pubkey: stranger } }],
      ]),
      texts: new Map(),
      open: [],
    }),
  )

type TronHarm = { readonly harm: Struct; readonly data?: string; readonly open: readonly string[] }
const called = { type: 'TriggerSmartContract', contract_address: stranger }
const tronContracts: readonly TronHarm[] = [
  { harm: { type: 'TransferContract', to_address: stranger, amount: much }, open: [] },
  ...calls.map((data) => ({ harm: called, data, open: ['call_value', 'call_token_value'] })),
  { harm: { ...called, call_value: much }, open: ['data', 'call_token_value'] },
]
/** A transaction of Tron has one contract. */
const tron = tronContracts.map(
  ({ harm, data, open }): SampleDeed => ({
    chain: 'tron',
    facts: {},
    lists: new Map([['tron.tx.contract', { harm, ...alone }]]),
    texts: new Map(data === undefined ? [] : [[`${harmOf('tron.tx.contract')}.data`, data]]),
    open: open.map((field) => `${harmOf('tron.tx.contract')}.${field}`),
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

/** The move stands in the same place of its list as the instruction, or alone there: other instructions need not move any. */
const solana = (places: readonly Place[]) =>
  solanaHarms.flatMap((harm) =>
    places.flatMap((place) => {
      const isMoveAlone = harm.move !== undefined && place.hasOthers
      return [place, ...(isMoveAlone ? [alone] : [])].map((ofMove) => solanaSample(harm, place, ofMove))
    }),
  )

function solanaSample({ program, data, move }: SolanaHarm, place: Place, ofMove: Place): SampleDeed {
  const [moved, item] = move ?? []
  const moves = (['transfers', 'spl_transfers', 'lamport_transfers'] as const).map(
    (name) => [`solana.tx.${name}`, name === moved && item !== undefined ? { ...ofMove, harm: item } : place] as const,
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
    open: [],
  }
}

/** Those of the chains that a condition speaks of. One that speaks of none limits nothing there. */
export function samplesFor(root: Expression): readonly SampleDeed[] {
  const named = new Set([...everyPart(root)].flatMap((part) => (part.kind === 'name' ? [part.name] : [])))
  const places = placesIn(root)
  const samples = [...ethereum, ...solana(places), ...tron, ...bitcoin(places), ...tempo(places)]
  return samples.filter(({ chain }) => named.has(chain))
}

/** Alone, and before, behind and between others: at each index that a condition writes. */
function placesIn(root: Expression): readonly Place[] {
  const written = [...everyPart(root)].flatMap((part) => (part.kind === 'index' ? (constantOf(part.index) ?? []) : []))
  const indexes = [...new Set([0, ...written.map(Number)])]
  return [alone, ...[...indexes, 'last' as const].map((at) => ({ at, hasOthers: true }))]
}
