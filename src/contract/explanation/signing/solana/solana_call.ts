import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Struct } from '../../../../policy/language/expression_values.ts'
import type { FieldType } from '../../../../policy/transactions/solana/instruction_form.ts'
import { builtInPrograms, type FieldValue } from '../../../../policy/transactions/solana/read_instruction.ts'
import { type Account, type Call, roleAt } from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Row, Value } from '../../explanation.ts'
import { address, code, hex, list, listed, none, note, number, rowsOf, text, tree } from '../../shown_values.ts'
import { allowanceNote } from '../shared/allowances.ts'
import { unreadNote } from '../shared/call_arguments.ts'
import { amountOf, sol } from '../shared/coins.ts'
import { printableText } from '../signed_text/printable_text.ts'
import { accountValue, tokensValue } from './solana_accounts.ts'
import { claimIn, claimValues, unreadBytesOf } from './solana_claims.ts'

type CallFacts = {
  /** The instruction as conditions see it, with what an uploaded IDL says of it. */
  readonly struct: Struct
  readonly interfaces: readonly Value[]
  /** Shows a key that may be the signing key's own. */
  readonly from: (address: string) => Value
}

/**
 * Shows an instruction: its name in the program's source, its fields, and the roles of its accounts. For a known one,
 * the claims of an uploaded IDL stand below.
 */
export function callValue(call: Call, { struct, interfaces, from }: CallFacts): Value {
  const { program, read } = call
  const claim = claimIn(struct)
  const claims = claim && claimValues(claim, { call, interfaces, from })
  const data = bytesToHex(call.data)
  const unreadBytes = unreadBytesOf({ call, struct })
  return {
    kind: 'tree',
    rows: [
      ...rowsOf({
        program: address(program),
        programName: programName(program),
        instruction: read && code(read.form.code),
        ...(read === undefined ? claims : {}),
      }),
      ...fieldRows(call, from),
      ...rowsOf({
        unlimited: unlimitedNote(call),
        unread: unreadBytes === 0 ? undefined : unreadNote(unreadBytes),
        unknown: claim === undefined && read === undefined ? unknownCall(data) : undefined,
        claimed: read === undefined || claims === undefined ? undefined : tree(claims),
        accounts: list(
          listed([...call.accounts.entries()], ([index, account]) =>
            withRoles(account, { role: roleAt(call, index), from }),
          ),
        ),
        batch: call.batch.length === 0 ? undefined : batchValue(call.batch, { interfaces, from }),
        data: data === '' ? undefined : hex(data),
      }),
    ],
  }
}

function batchValue(batch: readonly Call[], shown: Pick<CallFacts, 'interfaces' | 'from'>): Value {
  return list(listed(batch, (part) => callValue(part, { ...shown, struct: {} })))
}

function programName(program: string): Value | undefined {
  const name = builtInPrograms.get(program)?.name
  return name === undefined ? undefined : code(name)
}

/** Anchor's programs tell their instructions by the first eight bytes. */
function unknownCall(data: string): Value {
  return data === '' ? note('notDecoded') : note('unknownCall', `0x${data.slice(0, 16)}`)
}

/** A delegate with the greatest amount that there is may spend everything, for ever. */
export function unlimitedNote({ read }: Call): Note | undefined {
  const amount = read?.fields.get('amount')
  return read?.form.kind === 'allowance' && typeof amount === 'bigint' ? allowanceNote(amount, 64) : undefined
}

function fieldRows(call: Call, from: CallFacts['from']): readonly Row[] {
  const { read } = call
  return Object.entries(read?.form.fields ?? {}).map(([name, type]) => {
    return { label: name, value: fieldValue(read?.fields.get(name), { type, call, from }) }
  })
}

type Field = { readonly type: FieldType; readonly call: Call; readonly from: CallFacts['from'] }

function fieldValue(value: FieldValue, { type, call, from }: Field): Value {
  if (value === undefined) return type === 'optionalLamports' ? code('everything') : none
  if (typeof value === 'bigint') {
    if (type === 'lamports' || type === 'optionalLamports') return amountOf(value, sol)
    return type === 'tokens' ? tokensValue(value, call) : number(value)
  }
  if (typeof value !== 'string')
    return value.length === 0 ? none : list(listed(value, type === 'accountExtensions' ? text : from))
  if (type === 'key' || type === 'optionalKey' || type === 'nonZeroKey') return from(value)
  if (type === 'authorityType' || type === 'accountState' || type === 'stakeAuthority' || type === 'voteAuthority')
    return code(value)
  return type === 'text' ? text(value) : bytesValue(value)
}

function bytesValue(digits: string): Value {
  return digits === '' ? none : (printableText(hexToBytes(digits)) ?? hex(digits))
}

type Role = Pick<CallFacts, 'from'> & { readonly role: string | undefined }

/** The accounts after the last one that has a name sign for a multisig, or are those of a hook. */
function withRoles(account: Account, { role, from }: Role): Value {
  const rights = [...(account.signer ? [code('signer')] : []), ...(account.writable ? [code('writable')] : [])]
  return tree({
    account: accountValue(account, from),
    accountRole: role === undefined || role === 'signers' ? undefined : code(role === 'mint' ? 'tokenMint' : role),
    roles: rights.length === 0 ? undefined : list(rights),
  })
}
