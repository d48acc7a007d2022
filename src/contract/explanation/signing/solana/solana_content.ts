import { hexToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { isList, type Struct } from '../../../../policy/language/expression_values.ts'
import {
  accountOf,
  type Call,
  callsOfStruct,
  flatCalls,
  isInstruction,
  type Move,
  movesOf,
  ownInstructions,
} from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Content, TransactionContent } from '../../content.ts'
import type { Note, Row, Value } from '../../explanation.ts'
import { code, itemRows, listed, note, number, row, section, text, tree } from '../../shown_values.ts'
import { warned } from '../../warnings.ts'
import { amountOf, sol } from '../shared/coins.ts'
import { feeWarnings } from '../shared/fee_warnings.ts'
import { mayBeOrder } from '../signed_text/orders_in_text.ts'
import { readableText } from '../signed_text/printable_text.ts'
import { accountValue, movedAmount, tokensValue, withNames } from './solana_accounts.ts'
import { callValue, unlimitedNote } from './solana_call.ts'
import { instructionNotes } from './solana_claims.ts'
import { hookNote, lockupNote } from './solana_controls.ts'
import { fundsSent } from './solana_gains.ts'
import { ownAccounts } from './solana_own.ts'
import { sumOf, titleOf } from './solana_title.ts'

/** Explains a transaction of Solana, from what conditions see of it. */
export function solanaContent({
  tx,
  interfaces,
  from,
  signer,
}: Pick<TransactionContent, 'tx' | 'interfaces' | 'from'> & {
  readonly signer: Pick<TransactionContent['signer'], 'publicKey'>
}): Content {
  const calls = callsOfStruct(tx)
  const flat = flatCalls(calls)
  const lamports = movesOf(flat, 'lamports')
  const keys = tx.account_keys !== undefined && isList(tx.account_keys) ? tx.account_keys : []
  const structs = ownInstructions(tx)
  const key = base58.encode(signer.publicKey)
  const own = ownAccounts(flat, key)
  const { title, warnings } = titleOf(calls, { own, signer: from(key) })
  const fee = typeof tx.priority_fee === 'bigint' ? tx.priority_fee : 0n
  const whole = warned(title, [
    ...warnings,
    ...feeWarnings({ ...fundsSent(flat, own), fee, bounds: sol.fees, shown: amountOf(fee, sol) }),
    ...(isDurable(calls) ? [note('untilNonceAdvances')] : []),
    ...flat.flatMap((call) => unlimitedNote(call) ?? lockupNote(call) ?? hookNote(call, key) ?? []),
    ...orderNotes(flat),
    ...instructionNotes(calls.map((call, index) => ({ call, struct: structs[index] ?? {} }))),
  ])
  return {
    title: withNames(whole, from),
    sections: [
      ...section('transaction', [
        row('chain', { kind: 'chain', name: 'Solana' }),
        row('network', note('notInContent')),
        row('feePayer', from(String(keys[0]))),
        row('fee', note('notInContent')),
        ...feeRows(tx, calls),
        lifetimeRow(String(tx.recent_blockhash), calls, from),
      ]),
      ...section('transfers', [...moveRows(lamports, from, sumOf), ...moveRows(movesOf(flat, 'tokens'), from)]),
      ...section(
        'calls',
        itemRows(
          'call',
          listed([...calls.entries()], ([index, call]) =>
            callValue(call, { struct: structs[index] ?? {}, interfaces, from }),
          ),
        ),
      ),
    ],
  }
}

/** A memo beside what moves may be an order that another program reads. */
function orderNotes(calls: readonly Call[]): readonly Note[] {
  const memos = calls.flatMap(({ read }) => (read?.id === 'memo.Memo' ? [String(read.fields.get('memo'))] : []))
  const isOrder = memos.some((memo) => mayBeOrder(readableText(hexToBytes(memo)) ?? ''))
  const moves = [...movesOf(calls, 'lamports'), ...movesOf(calls, 'tokens')]
  return isOrder && moves.length > 0 ? [note('dataBeside')] : []
}

/** The limits that the transaction sets, and the most that they can cost. */
function feeRows(tx: Struct, calls: readonly Call[]): readonly Row[] {
  const { compute_unit_limit: limit, compute_unit_price: price, priority_fee: fee } = tx
  const isSet = (name: string) => calls.some(({ read }) => read?.fields.has(name) === true)
  if (typeof limit !== 'bigint' || typeof price !== 'bigint' || typeof fee !== 'bigint') return []
  return [
    ...(isSet('computeUnitLimit') ? [row('computeUnitLimit', number(limit))] : []),
    ...(price === 0n
      ? []
      : [row('microLamportsPerComputeUnit', number(price)), row('priorityFee', amountOf(fee, sol))]),
  ]
}

/** The runtime takes a nonce for durable if the first instruction advances it. */
function isDurable([first]: readonly Call[]): boolean {
  return first !== undefined && isInstruction(first, 'systemProgram.AdvanceNonceAccount')
}

/** How long the transaction is valid. */
function lifetimeRow(blockhash: string, calls: readonly Call[], shown: ShownKey): Row {
  const [first] = calls
  if (first === undefined || !isDurable(calls)) return row('recentBlockhash', text(blockhash))
  const [account, authority] = [accountOf(first, 'nonceAccount'), accountOf(first, 'nonceAuthority')]
  return row(
    'durableNonce',
    tree({
      nonce: text(blockhash),
      nonceAccount: account && accountValue(account, shown),
      nonceAuthority: authority && accountValue(authority, shown),
      validUntil: note('untilNonceAdvances'),
    }),
  )
}

type ShownKey = TransactionContent['from']

function moveRows(moves: readonly Move[], shown: ShownKey, sum?: (leftOut: readonly Move[]) => Value): readonly Row[] {
  return itemRows(
    'transfer',
    listed(moves, (move) => moveValue(move, shown), sum),
  )
}

/** Names the instruction unless it is the plain transfer of the System program or of a token. */
function moveValue(move: Move, shown: ShownKey): Value {
  const { call, from, to } = move
  const { form, fields } = call.read ?? {}
  const isToken = form?.moves?.asset === 'tokens'
  const [owner, mint] = [accountOf(call, 'owner'), accountOf(call, 'mint')]
  const withheld = fields?.get('withheldFee')
  return tree({
    instruction: form === undefined || form.kind === 'payment' ? undefined : code(form.code),
    from: accountValue(from, shown),
    to: accountValue(to, shown),
    amount: movedAmount(move),
    withheldFee: typeof withheld === 'bigint' ? tokensValue(withheld, call) : undefined,
    tokenOwner: isToken && owner !== undefined ? accountValue(owner, shown) : undefined,
    token: isToken ? (mint === undefined ? note('notInContent') : accountValue(mint)) : undefined,
  })
}
