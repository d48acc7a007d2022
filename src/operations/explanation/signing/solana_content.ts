import { hexToBytes } from '@noble/hashes/utils.js'
import { isList, isMap, isStruct, type Value as Seen, type Struct } from '../../../policy/language/values.ts'
import { addressTableLookup } from '../../../policy/transactions/solana/solana_struct.ts'
import type { Row, Title, Value } from '../explanation.ts'
import { address, code, hex, list, listed, none, note, number, row, section, text, tree } from '../values.ts'
import { amountOf, sol, tokenAmount } from './coins.ts'
import { decodedValue } from './decoded_values.ts'
import { printableText } from './printable_text.ts'
import type { Content, TransactionContent } from './signing_content.ts'
import { type FeeLimits, instructionOf, priorityFeeMax, programNames } from './solana_instructions.ts'

/** Explains a transaction of Solana, from what conditions see of it. */
export function solanaContent({
  tx,
  interfaces,
  from,
}: Pick<TransactionContent, 'tx' | 'interfaces' | 'from'>): Content {
  const transfers = structsIn(tx.transfers)
  const tokenTransfers = structsIn(tx.spl_transfers)
  const instructions = structsIn(tx.instructions)
  const keys = tx.account_keys !== undefined && isList(tx.account_keys) ? tx.account_keys : []
  const shown = [
    ...labelled(listed(transfers, (transfer) => transferValue(transfer, lamportsOf), sumOf)),
    ...labelled(listed(tokenTransfers, (transfer) => transferValue(transfer, tokensOf))),
  ]
  const calls = instructions.map(callOf)
  return {
    title: titleOf({ transfers, tokenTransfers, calls }),
    sections: [
      ...section('transaction', [
        row('chain', { kind: 'chain', name: 'Solana' }),
        row('network', note('notInContent')),
        row('feePayer', from(String(keys[0]))),
        row('fee', note('notInContent')),
        ...feeRows(calls),
        row('recentBlockhash', text(String(tx.recent_blockhash))),
      ]),
      ...section('transfers', shown),
      ...section('calls', [
        ...listed(calls, (call) => instructionValue(call, interfaces)).map((value) =>
          row(value.kind === 'leftOut' ? 'callsLeftOut' : 'call', value),
        ),
      ]),
    ],
  }
}

/** A transaction with two limits of one kind fails on the chain. */
function feeRows(calls: readonly Call[]): readonly Row[] {
  const limits: FeeLimits = Object.assign({}, ...calls.map(({ known }) => known?.limits))
  const { computeUnitLimit, microLamportsPerComputeUnit: price } = limits
  return [
    ...(computeUnitLimit === undefined ? [] : [row('computeUnitLimit', number(computeUnitLimit))]),
    ...(price === undefined
      ? []
      : [row('microLamportsPerComputeUnit', number(price)), row('priorityFee', amountOf(priorityFeeMax(limits), sol))]),
  ]
}

function structsIn(value: Seen | undefined): readonly Struct[] {
  return value !== undefined && isList(value) ? value.filter(isStruct) : []
}

function labelled(values: readonly Value[]): readonly Row[] {
  return values.map((value) => row(value.kind === 'leftOut' ? 'transfersLeftOut' : 'transfer', value))
}

const lamportsOf = ({ amount }: Struct) => (typeof amount === 'bigint' ? amountOf(amount, sol) : note('unreadable'))

/** The mint is not in the data of the older kind of transfer. */
function tokensOf({ amount, token_mint: mint }: Struct): Value {
  if (typeof amount !== 'bigint') return note('unreadable')
  if (typeof mint !== 'string' || mint === addressTableLookup) return { kind: 'amount', smallest: String(amount) }
  return tokenAmount(amount, mint)
}

function sumOf(transfers: readonly Struct[]): Value {
  const sum = transfers.reduce((before, { amount }) => before + (typeof amount === 'bigint' ? amount : 0n), 0n)
  return amountOf(sum, sol)
}

function transferValue(transfer: Struct, amountIn: (transfer: Struct) => Value): Value {
  const { from, to, token_mint: mint, owner } = transfer
  const isToken = owner !== undefined
  return tree({
    from: account(from),
    to: account(to),
    amount: amountIn(transfer),
    tokenOwner: isToken ? account(owner) : undefined,
    token: isToken ? (mint === undefined ? note('notInContent') : account(mint)) : undefined,
  })
}

function account(key: Seen | undefined): Value {
  return key === addressTableLookup ? note('addressTableLookup') : address(String(key))
}

type Call = {
  readonly struct: Struct
  readonly program: string
  readonly data: string
  readonly known: ReturnType<typeof instructionOf>
}

function callOf(struct: Struct): Call {
  const program = String(struct.program_key)
  const data = String(struct.instruction_data_hex)
  const known = instructionOf(program, hexToBytes(data))
  return { struct, program, data, known }
}

function instructionValue({ struct, program, data, known }: Call, interfaces: readonly Value[]): Value {
  const parsed = struct.parsed_instruction_data
  const byIdl = parsed !== undefined && isStruct(parsed) ? parsed : undefined
  const accounts = structsIn(struct.accounts)
  const memo = programNames.get(program) === 'memo' ? printableText(hexToBytes(data)) : undefined
  return tree({
    program: address(program),
    programName: programNames.has(program) ? code(programNames.get(program) ?? '') : undefined,
    function: byIdl === undefined ? undefined : text(String(byIdl.instruction_name)),
    arguments: byIdl === undefined ? undefined : argumentsOf(byIdl),
    namedAccounts: byIdl === undefined ? undefined : namedAccounts(byIdl.named_accounts),
    decodedBy: byIdl === undefined ? undefined : list(interfaces),
    instruction: byIdl === undefined && known !== undefined ? code(known.code) : undefined,
    amount: known?.amount,
    withheldFee: known?.withheldFee,
    decimals: known?.decimals === undefined ? undefined : number(known.decimals),
    token: known?.withheldFee === undefined ? undefined : account(accounts[1]?.account_key),
    memo,
    unknown: byIdl === undefined && known === undefined && memo === undefined ? unknownCall(data) : undefined,
    accounts: list(listed(accounts, accountValue)),
    data: data === '' ? undefined : hex(data),
  })
}

/** Anchor's programs tell their instructions by the first eight bytes. */
function unknownCall(data: string): Value {
  return note('unknownCall', data === '' ? undefined : `0x${data.slice(0, 16)}`)
}

function argumentsOf({ program_call_args: given }: Struct): Value {
  return given === undefined ? note('argumentsUnreadable') : decodedValue(given)
}

function namedAccounts(named: Seen | undefined): Value {
  if (named === undefined || !isMap(named)) return none
  return { kind: 'tree', rows: [...named].map(([name, key]) => ({ name, value: account(key) })) }
}

function accountValue({ account_key: key, signer, writable }: Struct): Value {
  const roles = [...(signer === true ? [code('signer')] : []), ...(writable === true ? [code('writable')] : [])]
  return tree({ account: account(key), roles: roles.length === 0 ? undefined : list(roles) })
}

type Sent = {
  readonly transfers: readonly Struct[]
  readonly tokenTransfers: readonly Struct[]
  readonly calls: readonly Call[]
}

/** A transaction is a payment only if nothing else is in it but the accounts of tokens that the payment opens. */
function titleOf({ transfers, tokenTransfers, calls }: Sent): Title {
  const recipients = new Set(tokenTransfers.map(({ to }) => to))
  const others = calls.filter(
    (call) =>
      !harmless.has(programNames.get(call.program) ?? '') &&
      call.known?.isTransfer !== true &&
      !recipients.has(openedAccount(call)),
  )
  const [first] = [...transfers, ...tokenTransfers]
  const programs = new Set(others.map(({ program }) => program))
  if (others.length > 0 || first === undefined) {
    const [program] = programs
    if (programs.size === 1 && program !== undefined) return { code: 'callProgram', values: [address(program)] }
    return { code: 'callPrograms', values: [number(programs.size)] }
  }
  if (transfers.length + tokenTransfers.length === 1) {
    return {
      code: 'send',
      values: [tokenTransfers.length === 0 ? lamportsOf(first) : tokensOf(first), account(first.to)],
    }
  }
  if (tokenTransfers.length === 0) return { code: 'sendToMany', values: [sumOf(transfers), number(transfers.length)] }
  return { code: 'sendManyTokens', values: [number(transfers.length + tokenTransfers.length)] }
}

/** The account of tokens that an instruction opens: the second that it names. */
function openedAccount({ program, known, struct }: Call): Seen | undefined {
  if (programNames.get(program) !== 'associatedToken' || known?.code.startsWith('Create') !== true) return undefined
  const key = structsIn(struct.accounts)[1]?.account_key
  return key === addressTableLookup ? undefined : key
}

const harmless: ReadonlySet<string> = new Set(['computeBudget', 'memo'])
