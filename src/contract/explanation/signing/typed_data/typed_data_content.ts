import { bytesToHex } from '@noble/hashes/utils.js'
import { isList, isMap, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { domainMapOf, messageMapOf, readTypedData } from '../../../../policy/typed_data_struct.ts'
import { encodeType, type TypedData } from '../../../../protocol/chains/eip712.ts'
import type { MemberType, StructTypes } from '../../../../protocol/chains/eip712_types.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import type { Content, TransactionContent } from '../../content.ts'
import type { Note, Row, Title, Value } from '../../explanation.ts'
import {
  ethereumAddress,
  flag,
  hex,
  list,
  listed,
  namedRow,
  note,
  noteOf,
  number,
  row,
  section,
  text,
  tree,
  wholeText,
} from '../../shown_values.ts'
import { warned } from '../../warnings.ts'
import { type CallContext, type CallReading, doneBy } from '../ethereum/call_reading.ts'
import { beyondCalls, emptyCallNote, readContractCall } from '../ethereum/contract_calls.ts'
import { readingByPrefix } from '../payload_forms/payload_forms.ts'
import { unreadNote } from '../shared/call_arguments.ts'
import { ethereumForms } from '../shared/chain_forms.ts'
import { ethereumChain, weiFees } from '../shared/coins.ts'
import { type Funds, feeWarnings, fundsIn } from '../shared/fee_warnings.ts'
import { isSame } from '../shared/own_accounts.ts'
import { readText } from '../signed_text/read_text.ts'
import { chainIn } from './document_forms.ts'
import { type Documents, documentsIn, type IsAmount, type Leaf, type Order } from './documents.ts'
import { unsignedPaths, unusedTypes } from './typed_data_rest.ts'

const domainType = 'EIP712Domain'

/**
 * Explains typed data (EIP-712) from what is hashed. Its types say which values those are, and how each is shown. Throws
 * FIELD_INVALID for a payload that signing refuses too.
 */
export function* typedDataContent(
  payload: string,
  fieldPath: string,
  { now, own: signer }: Pick<TransactionContent, 'now'> & { readonly own: Value | undefined },
): Steps<Content> {
  const typedData = readTypedData(payload, fieldPath)
  const { primaryType, types } = typedData
  const [domain, message] = [domainMapOf(typedData), messageMapOf(typedData)]
  const chainId = chainIn(domain)
  const documents = yield* documentsIn(typedData, { message, domain, signer })
  const shown = { types, isAmount: documents.isAmount }
  const calls = yield* readCalls(documents.orders, { chainId, context: { forms: ethereumForms(chainId), now, signer } })
  const personal = readPersonal(documents.whole)
  const isDomainAlone = primaryType === domainType
  const [unsigned, unused] = [unsignedPaths(typedData), unusedTypes(typedData)]
  return {
    title: warned(titleOf(documents, domain), [
      ...domainWarnings(typedData),
      ...documents.notes,
      ...calls.notes,
      ...(calls.unreadBytes === 0 ? [] : [unreadNote(calls.unreadBytes)]),
      ...(isDomainAlone ? [note('onlyDomain')] : []),
      ...valueWarnings(documents, calls.readBytes + personal.bytes),
      ...personal.warnings,
      ...(unsigned.length === 0 ? [] : [noteOf('notSigned', number(unsigned.length))]),
    ]),
    sections: section('typedData', [
      row('primaryType', text(primaryType)),
      row('domain', domainValue(domain, shown)),
      row('message', isDomainAlone ? note('onlyDomain') : mapValue(message, primaryType, shown)),
      ...documents.rows,
      ...calls.rows,
      ...personal.rows,
      ...(documents.offer?.rows ?? []),
      ...textsRow('notSigned', unsigned),
      row('types', wholeText(encodeType(primaryType, types))),
      ...(isDomainAlone ? [] : [row('domainTypes', wholeText(encodeType(domainType, types)))]),
      ...textsRow('unusedTypes', unused),
    ]),
  }
}

/** The documents in one whose calls and fees are read. There is hardly ever more than one. */
const ordersMax = 10

type ReadCalls = {
  readonly notes: readonly Note[]
  readonly rows: readonly Row[]
  readonly unreadBytes: number
  /** How many bytes of the document are these calls, as far as they are read. */
  readonly readBytes: number
}

function* readCalls(
  given: Documents['orders'],
  { chainId, context }: { readonly chainId: bigint | undefined; readonly context: CallContext },
): Steps<ReadCalls> {
  const read: { readonly call: CallReading; readonly bytes: number; readonly notes: readonly Note[] }[] = []
  const fees: (Funds & { readonly fee: bigint })[] = []
  for (const order of given.slice(0, ordersMax)) {
    const { caller, payer, fee, funds } = order
    const call = usesUpNonce(order, context) ? undefined : order.call
    const reading = call && (yield* readContractCall(call, { ...context, ...call, caller, payer }))
    if (call !== undefined && reading !== undefined) {
      const empty =
        call.data === '' && call.isDelegate !== true ? [emptyCallNote(context.forms.addressOf(call.to))] : []
      read.push({ call: reading, bytes: call.data.length / 2, notes: [...empty, ...doneBy(reading)] })
    }
    if (fee > 0n) fees.push({ fee, ...fundsIn(reading === undefined ? [funds] : [funds, reading.funds]) })
  }
  const shownFee = (fee: bigint) => context.forms.coin(fee)
  const sum = (countOf: (one: (typeof read)[number]) => number) => read.reduce((all, one) => all + countOf(one), 0)
  return {
    notes: [
      ...read.flatMap(({ notes }) => notes),
      ...fees.flatMap((one) => feeWarnings({ ...one, bounds: weiFees(chainId), shown: shownFee(one.fee) })),
      ...(given.length > ordersMax ? [beyondCalls(ordersMax)] : []),
    ],
    rows: [
      ...fees.map(({ fee }) => row('maxFee', shownFee(fee))),
      ...read.map(({ call }) => row('call', tree({ asToken: call.token?.shown, ...call.parts }))),
    ],
    unreadBytes: sum(({ call }) => call.counts?.unreadBytes ?? 0),
    readBytes: sum(({ call, bytes }) => (call.counts === undefined ? 0 : bytes - call.counts.opaqueBytes)),
  }
}

/** An account calls itself without data to use up a nonce. */
function usesUpNonce({ call, caller }: Order, { forms, signer }: CallContext): boolean {
  if (call === undefined || call.data !== '') return false
  return call.to === caller || isSame(forms.addressOf(call.to), signer)
}

function titleOf({ whole: { name, account }, offer }: Documents, domain: ReadonlyMap<string, Seen>): Title {
  const values = [text(name), ...(account === undefined ? [] : [account]), ...domainName(domain)]
  if (account === undefined) return offer?.title ?? { code: 'signTypedData', values }
  return offer === undefined
    ? { code: 'signTypedDataAs', values }
    : { code: 'offerForAs', values: [...offer.title.values, account] }
}

type ReadPersonal = { readonly rows: readonly Row[]; readonly warnings: readonly Note[]; readonly bytes: number }

/** A personal message in a document says what it says alone. `bytes`: how many of the document are this message. */
function readPersonal({ personal }: Documents['whole']): ReadPersonal {
  if (personal === undefined) return { rows: [], warnings: [], bytes: 0 }
  const { label, body, size } = personal
  const reading = readingByPrefix(body)
  const { shown, warnings, mayBeHash } = readText(body)
  return {
    rows: [row(label, shown ?? hex(bytesToHex(body)))],
    warnings: [
      ...(reading === undefined ? [] : [reading.warning]),
      ...(reading === undefined || mayBeHash ? warnings : []),
    ],
    bytes: size,
  }
}

function textsRow(label: string, texts: readonly string[]): readonly Row[] {
  return texts.length === 0 ? [] : [row(label, list(listed(texts, text)))]
}

function domainName(domain: ReadonlyMap<string, Seen>): readonly Value[] {
  const name = domain.get('name')
  return typeof name === 'string' ? [text(name)] : []
}

/** A signature holds wherever its domain does not say that it does not. */
function domainWarnings({ types }: TypedData): readonly Note[] {
  const names = new Set((types.get(domainType) ?? []).map(({ name }) => name))
  return [
    ...(names.has('chainId') ? [] : [note('noChain')]),
    ...(names.has('verifyingContract') ? [] : [note('noContract')]),
  ]
}

/** The members that the type of the domain names, with the chain of a `chainId` that is a number. */
function domainValue(domain: ReadonlyMap<string, Seen>, shown: Shown): Value {
  const value = mapValue(domain, domainType, shown)
  const chainId = domain.get('chainId')
  if (value.kind !== 'tree' || typeof chainId !== 'bigint' || chainId <= 0n) return value
  const withChain = value.rows.map((each) =>
    'name' in each && each.name === 'chainId' ? { ...each, value: ethereumChain(chainId) } : each,
  )
  return { ...value, rows: withChain }
}

/** Bytes may be a call. `readBytes`: how many of them are one that is read. */
function valueWarnings({ leaves, amounts, texts }: Documents, readBytes: number): readonly Note[] {
  const digits = leaves.reduce(
    (sum, { value, type }) => sum + (type.kind === 'bytes' ? String(value).length - 2 : 0),
    0,
  )
  const bytes = digits / 2 - readBytes
  return [
    ...(amounts.some(isUnlimited) ? [note('unlimited')] : []),
    ...leaves.flatMap(({ value, type }) => (type.kind === 'string' ? textWarnings(texts.get(String(value))) : [])),
    ...(bytes === 0 ? [] : [noteOf('innerBytes', number(bytes))]),
  ]
}

/** A text in a document may be an order, as a message is. That it writes bytes down is no reason to warn, as of keys. */
function textWarnings(notes: readonly Note[] = []): readonly Note[] {
  return notes.filter(({ code }) => code === 'mayBeTransaction' || code === 'hiddenCharacters')
}

type Shown = { readonly types: StructTypes; readonly isAmount: IsAmount }

function mapValue(map: ReadonlyMap<string, Seen>, name: string, shown: Shown): Value {
  const members = new Map((shown.types.get(name) ?? []).map((member) => [member.name, member.type]))
  return {
    kind: 'tree',
    rows: [...map].map(([member, value]) => {
      const place = { type: members.get(member), isAmount: shown.isAmount(name, member) }
      return namedRow(member, typedValue(value, place, shown))
    }),
  }
}

type Place = { readonly type: MemberType | undefined; readonly isAmount: boolean }

function typedValue(value: Seen, { type, isAmount }: Place, shown: Shown): Value {
  switch (type?.kind) {
    case 'struct':
      return isMap(value) ? mapValue(value, type.name, shown) : note('unreadable')
    case 'array':
      return isList(value)
        ? list(listed(value, (item) => typedValue(item, { type: type.element, isAmount }, shown)))
        : note('unreadable')
    case 'integer':
      if (typeof value !== 'bigint') return note('unreadable')
      return isAmount && isUnlimited({ value, type }) ? list([number(value), note('unlimited')]) : number(value)
    case 'bool':
      return flag(value)
    case 'string':
      return text(String(value))
    case 'address':
      return ethereumAddress(String(value))
    case 'bytes':
    case 'fixedBytes':
      return hex(String(value))
    case undefined:
      return note('unreadable')
  }
}

/** Amounts have at least so many bits: 96 in some tokens, 160 in Permit2, 256 in others. Times and nonces have fewer. */
const amountBitsMin = 96

/** The greatest integer of its type stands for everything in permits of tokens. */
function isUnlimited({ value, type }: Leaf): boolean {
  return (
    type.kind === 'integer' && !type.signed && type.bits >= amountBitsMin && value === (1n << BigInt(type.bits)) - 1n
  )
}
