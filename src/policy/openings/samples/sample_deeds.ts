import type { Struct, Value } from '../../language/expression_values.ts'
import { constantOf } from '../../language/names/pieces.ts'
import { type Expression, everyPart } from '../../language/syntax.ts'
import type { Asset } from '../../velocity/assets.ts'
import { namedControls } from '../../velocity/named_controls.ts'
import { needsSum } from '../sums.ts'
import { callsFor, type SampleCall } from './sample_calls.ts'
import { much, stranger } from './sample_values.ts'
import { type ListOfMoves, listsOfMoves, type SolanaHarm, solanaHarmsFor } from './solana_harms.ts'

/**
 * A signature that does harm: a stranger to the condition gets much, or may spend it. Only its harmful parts are known.
 * All else is as the condition likes it.
 */
export type SampleDeed = {
  readonly chain: Chain
  /** Fields that are known. */
  readonly facts: Struct
  /** Lists with known items, by their paths. */
  readonly lists: ReadonlyMap<string, SampleList>
  /**
   * Texts of which some characters are known, by their paths. `?` stands for any other one, `@` for one of the signer's
   * address, `*` for one that a condition may write, and several `^` for such ones that are not all 0.
   */
  readonly texts: ReadonlyMap<string, string>
  /** Fields that are as the condition likes them, whatever it names there: the harm is elsewhere. By their paths. */
  readonly open: readonly string[]
  readonly taken: Taken
}

/** For velocity controls: what is taken, and of which chain of several. No control can read what is no transfer. */
export type Taken = {
  readonly kind: 'coin' | 'token' | 'unread'
  /** Undefined of a chain whose assets no control counts. */
  readonly namespace: Asset['namespace'] | undefined
  readonly reference?: string
}

const chains = ['eth', 'solana', 'tron', 'bitcoin', 'tempo'] as const
type Chain = (typeof chains)[number]

/** `harm`: the item that does harm. `at`: its index. `hasOthers`: whether any others stand beside it. */
export type SampleList = Place & { readonly harm?: Value }
type Place = { readonly at: number | 'last'; readonly hasOthers: boolean }

/** The name of the item that does harm, as the path of what is in it. */
export const harmOf = (path: string) => `${path}#harm`

const alone: Place = { at: 0, hasOthers: false }

/** A sample whose other parts are as the condition likes them. */
function sampleOf(known: Pick<SampleDeed, 'chain' | 'taken'> & Partial<SampleDeed>): SampleDeed {
  return { facts: {}, lists: new Map(), texts: new Map(), open: [], ...known }
}

type Calls = readonly SampleCall[]

/** The signature of a known function, as a rule sees it. */
const functionOf = ({ signature }: SampleCall) => (signature === undefined ? {} : { function_signature: signature })

/** A call that gives tokens, whatever coins it takes along, and one that gives coins, whatever its data are. */
const ethereum = (calls: Calls, chainIds: readonly bigint[]): readonly SampleDeed[] => [
  ...calls.map((call) =>
    sampleOf({
      chain: 'eth',
      facts: { eth: { tx: { to: call.contract ?? stranger, ...functionOf(call) } } },
      texts: new Map([['eth.tx.data', `0x${call.data}`]]),
      open: ['eth.tx.value'],
      taken: { kind: 'token', namespace: 'eip155' },
    }),
  ),
  ...chainIds.map((chainId) =>
    sampleOf({
      chain: 'eth',
      facts: { eth: { tx: { to: stranger, value: much, ...(chainIds.length > 1 && { chain_id: chainId }) } } },
      open: ['eth.tx.data'],
      taken: { kind: 'coin', namespace: 'eip155', reference: String(chainId) },
    }),
  ),
]

const tempo = (calls: Calls, places: readonly Place[]) =>
  calls.flatMap((call) =>
    places.map((place) =>
      sampleOf({
        chain: 'tempo',
        lists: new Map([
          ['tempo.tx.calls', { ...place, harm: { to: call.contract ?? stranger, ...functionOf(call) } }],
        ]),
        texts: new Map([[`${harmOf('tempo.tx.calls')}.input`, `0x${call.data}`]]),
        taken: { kind: 'unread', namespace: undefined },
      }),
    ),
  )

const bitcoin = (places: readonly Place[]) =>
  places.map((place) =>
    sampleOf({
      chain: 'bitcoin',
      lists: new Map([
        ['bitcoin.tx.outputs', { ...place, harm: { value: much, address: stranger, script_pubkey: stranger } }],
      ]),
      taken: { kind: 'coin', namespace: 'bip122' },
    }),
  )

type TronHarm = {
  readonly harm: Struct
  readonly data?: string
  readonly open: readonly string[]
  readonly kind: Taken['kind']
}
const called = { type: 'TriggerSmartContract', contract_address: stranger }
const tronContracts = (calls: Calls): readonly TronHarm[] => [
  { harm: { type: 'TransferContract', to_address: stranger, amount: much }, open: [], kind: 'coin' },
  ...calls.map(({ data }) => ({
    harm: called,
    data,
    open: ['call_value', 'call_token_value'],
    kind: 'token' as const,
  })),
  { harm: { ...called, call_value: much }, open: ['data', 'call_token_value'], kind: 'coin' },
  // The keys are new, whosever account it is.
  { harm: { type: 'AccountPermissionUpdateContract' }, open: ['owner_address'], kind: 'unread' },
]
/** A transaction of Tron has one contract. */
const tron = (calls: Calls) =>
  tronContracts(calls).map(({ harm, data, open, kind }) =>
    sampleOf({
      chain: 'tron',
      lists: new Map([['tron.tx.contract', { harm, ...alone }]]),
      texts: new Map(data === undefined ? [] : [[`${harmOf('tron.tx.contract')}.data`, data]]),
      open: open.map((field) => `${harmOf('tron.tx.contract')}.${field}`),
      taken: { kind, namespace: 'tron' },
    }),
  )

/** A move stands in the same place of its list as the instruction, or alone there: other instructions need not move any. */
const solana = (harms: readonly SolanaHarm[], places: readonly Place[]) =>
  harms.flatMap((harm) =>
    places.flatMap((place) => {
      const isMoveAlone = harm.moves.length > 0 && place.hasOthers
      return [place, ...(isMoveAlone ? [alone] : [])].map((ofMove) => solanaSample(harm, place, ofMove))
    }),
  )

function solanaSample(
  { program, data, moves, isInData, hasAnyAmount, accounts: ofCall }: SolanaHarm,
  place: Place,
  ofMove: Place,
): SampleDeed {
  const found = new Map<ListOfMoves, Struct>(moves)
  const lists = listsOfMoves.map((name) => {
    const harm = found.get(name)
    return [`solana.tx.${name}`, harm === undefined ? place : { ...ofMove, harm }] as const
  })
  const openFields = ofCall ? ['amount', 'withheld_fee'] : isInData ? ['to', ...(hasAnyAmount ? ['amount'] : [])] : []
  // The account that signs is the first of several.
  const accounts: SampleList = { at: 'last', hasOthers: true, ...(!isInData && { harm: stranger }) }
  return sampleOf({
    chain: 'solana',
    lists: new Map<string, SampleList>([
      ['solana.tx.instructions', { ...place, harm: { program_key: program, ...(ofCall && { accounts: ofCall }) } }],
      ['solana.tx.program_keys', { ...place, harm: program }],
      ['solana.tx.account_keys', accounts],
      ...lists,
    ]),
    texts: new Map([[`${harmOf('solana.tx.instructions')}.instruction_data_hex`, data]]),
    open: moves.flatMap(([list]) => openFields.map((field) => `${harmOf(`solana.tx.${list}`)}.${field}`)),
    taken: {
      kind: ofCall ? 'unread' : found.has('transfers') ? 'coin' : found.has('spl_transfers') ? 'token' : 'unread',
      namespace: 'solana',
    },
  })
}

/**
 * The samples of the chains that a condition names. A condition limits nothing on other chains, but a velocity control and
 * a sum of the past are about every chain where none is named.
 */
export function samplesFor(root: Expression): readonly SampleDeed[] {
  const names = new Set([...everyPart(root)].flatMap((part) => (part.kind === 'name' ? [part.name] : [])))
  const hasControls = namedControls(root).length > 0
  const written = chains.filter((chain) => names.has(chain))
  const isOfAny = hasControls || needsSum(root)
  const named = isOfAny && written.length === 0 ? chains : written
  const places = placesIn(root)
  const calls = callsFor(root)
  const samplesOf: Readonly<Record<Chain, () => readonly SampleDeed[]>> = {
    eth: () => ethereum(calls, hasControls ? chainIdsFor(root) : [0n]),
    solana: () => solana(solanaHarmsFor(root), places),
    tron: () => tron(calls.filter(({ contract }) => contract === undefined)),
    bitcoin: () => bitcoin(places),
    tempo: () => tempo(calls, places),
  }
  return named.flatMap((chain) => samplesOf[chain]())
}

const chainIdsMax = 8
const unwrittenChainId = 10n ** 30n

/** A velocity control counts the coin of one chain: each that a condition writes is tried, those beside it, and another. */
function chainIdsFor(root: Expression): readonly bigint[] {
  const written = [...everyPart(root)].flatMap((part) => (part.kind === 'integer' ? [part.value] : []))
  const near = [...new Set(written)].slice(0, chainIdsMax).flatMap((id) => [id, id - 1n, id + 1n])
  return [...new Set([unwrittenChainId, ...near.filter((id) => id > 0n)])]
}

/** Alone, and before, behind and between others: at each index that a condition writes. */
function placesIn(root: Expression): readonly Place[] {
  const written = [...everyPart(root)].flatMap((part) => (part.kind === 'index' ? (constantOf(part.index) ?? []) : []))
  const indexes = [...new Set([0, ...written.map(Number)])]
  return [alone, ...[...indexes, 'last' as const].map((at) => ({ at, hasOthers: true }))]
}
