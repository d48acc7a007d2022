import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { isMap, isStruct, type Value as Seen, type Struct } from '../../../policy/language/values.ts'
import type { FieldType } from '../../../policy/transactions/solana/instruction_forms.ts'
import { builtInPrograms, type FieldValue } from '../../../policy/transactions/solana/read_instruction.ts'
import { type Account, type Call, roleAt } from '../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Row, Value } from '../explanation.ts'
import { address, code, hex, list, listed, none, note, noteOf, number, rowsOf, text, tree } from '../values.ts'
import { amountOf, sol } from './coins.ts'
import { decodedValue } from './decoded_values.ts'
import { printableText } from './printable_text.ts'
import { accountValue, keyValue, tokensValue } from './solana_accounts.ts'

type Shown = {
  /** The instruction as conditions see it, with what an uploaded IDL says of it. */
  readonly struct: Struct
  readonly interfaces: readonly Value[]
  /** Shows a key that may be the signing key's own. */
  readonly from: (address: string) => Value
}

/** Shows an instruction: its name in the program's source, its fields, and what its accounts are to it. */
export function callValue(call: Call, { struct, interfaces, from }: Shown): Value {
  const { program, read } = call
  const parsed = struct.parsed_instruction_data
  const byIdl = parsed !== undefined && isStruct(parsed) ? parsed : undefined
  const data = bytesToHex(call.data)
  return {
    kind: 'tree',
    rows: [
      ...rowsOf({
        program: address(program),
        programName: programName(program),
        instruction: read && code(read.form.code),
        function: byIdl === undefined ? undefined : text(String(byIdl.instruction_name)),
        arguments: byIdl === undefined ? undefined : argumentsOf(byIdl),
        namedAccounts: byIdl === undefined ? undefined : namedAccounts(byIdl.named_accounts),
        decodedBy: byIdl === undefined ? undefined : list(interfaces),
      }),
      ...fieldRows(call, from),
      ...rowsOf({
        unlimited: isUnlimited(call) ? note('unlimited') : undefined,
        unread: unreadNote([call]),
        unknown: byIdl === undefined && read === undefined ? unknownCall(data) : undefined,
        accounts: list(listed([...call.accounts.entries()], ([index, account]) => roles(account, roleAt(call, index)))),
        batch: call.batch.length === 0 ? undefined : batchValue(call.batch, { interfaces, from }),
        data: data === '' ? undefined : hex(data),
      }),
    ],
  }
}

function batchValue(batch: readonly Call[], shown: Pick<Shown, 'interfaces' | 'from'>): Value {
  return list(listed(batch, (part) => callValue(part, { ...shown, struct: {} })))
}

function programName(program: string): Value | undefined {
  const name = builtInPrograms.get(program)?.name
  return name === undefined ? undefined : code(name)
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
  return { kind: 'tree', rows: [...named].map(([name, key]) => ({ name, value: keyValue(key) })) }
}

/** The bytes that these calls of built-in programs have and nothing here reads. */
export function unreadNote(calls: readonly Call[]): Note | undefined {
  const bytes = calls.reduce((sum, call) => sum + unreadBytesOf(call), 0)
  return bytes === 0 ? undefined : noteOf('unreadBytes', number(bytes))
}

function unreadBytesOf({ program, read, data, batch }: Call): number {
  if (read === undefined) return builtInPrograms.has(program) ? data.length : 0
  return batch.reduce((sum, part) => sum + unreadBytesOf(part), read.unreadBytes)
}

const unlimitedTokens = 2n ** 64n - 1n

/** A delegate with the greatest amount that there is may spend everything, for ever. */
function isUnlimited({ read }: Call): boolean {
  return read?.form.code.startsWith('Approve') === true && read.fields.get('amount') === unlimitedTokens
}

function fieldRows(call: Call, from: Shown['from']): readonly Row[] {
  const { read } = call
  return Object.entries(read?.form.fields ?? {}).map(([name, type]) => {
    return { label: name, value: fieldValue(read?.fields.get(name), { type, call, from }) }
  })
}

type Field = { readonly type: FieldType; readonly call: Call; readonly from: Shown['from'] }

function fieldValue(value: FieldValue, { type, call, from }: Field): Value {
  if (value === undefined) return type === 'optionalLamports' ? code('everything') : none
  if (typeof value === 'bigint') {
    if (type === 'lamports' || type === 'optionalLamports') return amountOf(value, sol)
    return type === 'tokens' ? tokensValue(value, call) : number(value)
  }
  if (type === 'key' || type === 'optionalKey') return from(value)
  if (type === 'authorityType' || type === 'stakeAuthority') return code(value)
  return type === 'text' ? text(value) : bytesValue(value)
}

function bytesValue(digits: string): Value {
  return digits === '' ? none : (printableText(hexToBytes(digits)) ?? hex(digits))
}

/** The accounts after the last one that has a name sign for a multisig, or are those of a hook. */
function roles(account: Account, role: string | undefined): Value {
  const rights = [...(account.signer ? [code('signer')] : []), ...(account.writable ? [code('writable')] : [])]
  return tree({
    account: accountValue(account),
    accountRole: role === undefined || role === 'signers' ? undefined : code(role),
    roles: rights.length === 0 ? undefined : list(rights),
  })
}
