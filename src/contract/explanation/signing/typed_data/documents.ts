import { hexToBytes } from '@noble/hashes/utils.js'
import { isList, isMap, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { encodeType, type TypedData } from '../../../../protocol/chains/eip712.ts'
import type { MemberType, StructTypes } from '../../../../protocol/chains/eip712_types.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import type { Note, Row, Value } from '../../explanation.ts'
import { none, note, noteOf, number, row, tree, wholeTextCharactersMax } from '../../shown_values.ts'
import type { Funds } from '../shared/fee_warnings.ts'
import { isSame, ownNote } from '../shared/own_accounts.ts'
import { type PersonalMessage, personalMessage } from '../signed_text/personal_messages.ts'
import { textNotes } from '../signed_text/text_notes.ts'
import {
  addressIn,
  type DocumentForm,
  type Members,
  type Offer,
  type OrderedCall,
  type Signed,
} from './document_forms.ts'
import { orders } from './offers.ts'
import { orderedCalls } from './ordered_calls.ts'
import { permits } from './permits.ts'

/** ERC-7739: an account signs a document of another contract inside of one of its own. */
const wrapper: DocumentForm = {
  type: /^TypedDataSign\([^ ,()]+ contents,(bytes1 fields,)?string name,string version,uint256 chainId,address verifyingContract,bytes32 salt(,uint256\[\] extensions)?\)/,
  wraps: 'contents',
  noHashes: ['salt'],
}
/** ERC-7739: the same for a personal message. The domain is that of the account. */
const personalSign: DocumentForm = {
  type: /^PersonalSign\(bytes prefixed\)$/,
  personal: 'prefixed',
  noHashes: ['prefixed'],
}
const domainType = 'EIP712Domain'
const domainForm: DocumentForm = { type: /^/, noHashes: ['salt'] }

const forms: readonly DocumentForm[] = [...permits, ...orderedCalls, ...orders, wrapper, personalSign]

/** The meaning of a document's structs, wherever they stand in it. */
export type Documents = {
  readonly notes: readonly Note[]
  readonly orders: readonly Order[]
  readonly rows: readonly Row[]
  readonly whole: Whole
  /** The offer of the document as a whole. Undefined if it is no order. */
  readonly offer: Offer | undefined
  /** Every value that has no members, of the domain too. */
  readonly leaves: readonly Leaf[]
  /** The leaves that may be an amount. */
  readonly amounts: readonly Leaf[]
  /** Whether a member of a struct may be an amount. */
  readonly isAmount: IsAmount
  readonly texts: NotesOfTexts
}

export type IsAmount = (struct: string, member: string) => boolean

/** The notes on each text among the values, which may be more than a text. */
type NotesOfTexts = ReadonlyMap<string, readonly Note[]>

/** The document that is meant, which is that in a wrapper, and what is known of it as a whole. */
type Whole = {
  /** The name of its type. */
  readonly name: string
  readonly message: Members
  /** The account that wraps it. */
  readonly account: Value | undefined
  /** The personal message that it is. */
  readonly personal: PersonalMessage | undefined
}

/** The call that a document orders, who makes it, and its cost. Accounts are 20 bytes as `0x` and hex. */
export type Order = {
  readonly call: OrderedCall | undefined
  readonly caller: string | undefined
  readonly payer: string | undefined
  /** The most wei that it costs. */
  readonly fee: bigint
  /** The wei that the payer sends beside those of the call. */
  readonly funds: Funds
}

export type Leaf = { readonly value: Seen; readonly type: MemberType }

/** `signer`: the account that signs. */
export function* documentsIn(
  { primaryType, types }: TypedData,
  { message, domain, signer }: Signed & { readonly signer: Value | undefined },
): Steps<Documents> {
  const formOf = formsOf(types)
  const isAmount: IsAmount = (struct, member) => formOf(struct) === undefined || !noAmounts.has(member)
  const isDomainAlone = primaryType === domainType
  const ofMessage = isDomainAlone ? [] : structsOf(message, primaryType, types)
  const known = ofMessage.flatMap(({ map, name }) => {
    const form = formOf(name)
    return form === undefined ? [] : [{ form, signed: { message: map, domain } }]
  })
  const ofDomain = structsOf(domain, domainType, types)
  const whole = wholeOf(primaryType, message, { types, formOf })
  const structs = [...ofDomain, ...ofMessage]
  const leaves = structs.flatMap((struct) => struct.leaves.map(({ leaf }) => leaf))
  const texts = yield* notesOfTexts(leaves)
  return {
    notes: [
      ...known.flatMap(({ form, signed }) =>
        (form.notes?.(signed) ?? []).map((one) =>
          ownNote(one, { signer, giver: form.by?.(signed) ?? whole.account ?? signer }),
        ),
      ),
      ...offersIn(known, whole),
      ...otherAccountNotes(known, signer),
      ...hashNotes({ ofMessage, ofDomain, formOf, texts }),
      ...(isDomainAlone || isRead(whole, { types, formOf }) ? [] : [note('unknownDocument')]),
    ],
    orders: known.map(({ form, signed }) => ({
      call: form.call?.(signed),
      caller: hexOf(form.by?.(signed)),
      payer: hexOf(form.payer?.(signed)),
      fee: form.fee?.(signed.message) ?? 0n,
      funds: form.funds?.(signed.message) ?? { sent: 0n },
    })),
    rows: known.flatMap(({ form, signed }) => {
      const shown = form.transaction?.(signed)
      return shown === undefined ? [] : [row('transaction', tree(shown))]
    }),
    whole,
    offer: formOf(whole.name)?.offer?.({ message: whole.message, domain }),
    leaves,
    amounts: structs.flatMap(({ name, leaves }) =>
      leaves.flatMap(({ member, leaf }) => (isAmount(name, member) ? [leaf] : [])),
    ),
    isAmount,
    texts,
  }
}

/** Times and numbers in known documents. In any other one, such a name may stand for an amount. */
const noAmounts: ReadonlySet<string> = new Set([
  ...['deadline', 'sigDeadline', 'expiry', 'validAfter', 'validBefore', 'validUntil', 'startTime', 'endTime'],
  ...['nonce', 'counter', 'salt', 'tokenId'],
])

/** An account as 20 bytes in `0x` and lower-case hex. */
function hexOf(account: Value | undefined): string | undefined {
  return account?.kind === 'address' ? account.address.toLowerCase() : undefined
}

type Known = { readonly form: DocumentForm; readonly signed: Signed }

/**
 * A document for another account than the one that signs holds only if that account is a contract that takes signatures
 * of this key. An account that wraps a document says so (ERC-7739).
 */
function otherAccountNotes(known: readonly Known[], signer: Value | undefined): readonly Note[] {
  const own = [signer, ...known.flatMap(({ form, signed }) => (form.wraps === undefined ? [] : wrapperOf(signed)))]
  return known.flatMap(({ form, signed }) => {
    const by = form.isOfContract === true ? undefined : form.by?.(signed)
    return by?.kind !== 'address' || own.some((one) => isSame(one, by)) ? [] : [noteOf('otherAccount', by)]
  })
}

function wrapperOf({ message }: Signed): readonly Value[] {
  return [addressIn(message, 'verifyingContract')]
}

type FormOf = (name: string) => DocumentForm | undefined

/** The known form of each type, found once. */
function formsOf(types: StructTypes): FormOf {
  const found = new Map<string, DocumentForm | undefined>()
  return (name) => {
    if (name === domainType) return domainForm
    if (!found.has(name)) {
      const type = encodeType(name, types)
      found.set(
        name,
        forms.find((form) => form.type.test(type)),
      )
    }
    return found.get(name)
  }
}

type Types = { readonly types: StructTypes; readonly formOf: FormOf }

function wholeOf(name: string, message: Members, { types, formOf }: Types): Whole {
  const form = formOf(name)
  const member = types.get(name)?.find((one) => one.name === form?.wraps)
  const inner = member && message.get(member.name)
  if (member?.type.kind === 'struct' && inner !== undefined && isMap(inner)) {
    return { ...wholeOf(member.type.name, inner, { types, formOf }), account: addressIn(message, 'verifyingContract') }
  }
  const bytes = form?.personal === undefined ? undefined : message.get(form.personal)
  const personal = typeof bytes === 'string' ? personalMessage(hexToBytes(bytes.slice(2))) : undefined
  return { name, message, account: undefined, personal }
}

/** Whether nothing of a document is unknown. */
function isRead({ name, personal }: Whole, { types, formOf }: Types): boolean {
  const form = formOf(name)
  if (form === undefined || form.wraps !== undefined) return false
  return form.personal === undefined ? (form.whole?.test(encodeType(name, types)) ?? true) : personal !== undefined
}

/** The offers of orders in a document. Places of a tree of orders may be empty. */
function offersIn(known: readonly Known[], whole: Whole): readonly Note[] {
  return known.flatMap(({ form, signed }) => {
    const offer = signed.message === whole.message ? undefined : form.offer?.(signed)
    return offer === undefined || offer.title.values[0] === none ? [] : [noteOf('offers', ...offer.title.values)]
  })
}

/** `leaves`: its values that have no members, also those in lists. */
type LeafHere = { readonly member: string; readonly leaf: Leaf }
type StructHere = {
  readonly name: string
  readonly map: Members
  readonly leaves: readonly LeafHere[]
}

/** A struct and all structs in it. */
function structsOf(map: Members, name: string, types: StructTypes): readonly StructHere[] {
  const members = (types.get(name) ?? []).map((member) => ({ member: member.name, type: member.type }))
  const values = members.flatMap(({ member, type }) => itemsOf(map.get(member), type).map((leaf) => ({ member, leaf })))
  const inner = values.flatMap(({ leaf: { value, type } }) =>
    type.kind === 'struct' && isMap(value) ? structsOf(value, type.name, types) : [],
  )
  return [{ name, map, leaves: values.filter(({ leaf }) => leaf.type.kind !== 'struct') }, ...inner]
}

function itemsOf(value: Seen | undefined, type: MemberType): readonly Leaf[] {
  if (value === undefined) return []
  if (type.kind !== 'array') return [{ value, type }]
  return isList(value) ? value.flatMap((item) => itemsOf(item, type.element)) : []
}

/** The characters that are read between two pauses: what one text may have. */
const stepCharacters = wholeTextCharactersMax

function* notesOfTexts(leaves: readonly Leaf[]): Steps<NotesOfTexts> {
  const notes = new Map<string, readonly Note[]>()
  let characters = 0
  for (const { value, type } of leaves) {
    const text = String(value)
    if (type.kind !== 'string' || notes.has(text)) continue
    characters += text.length + 1
    if (characters > stepCharacters) {
      yield
      characters = text.length
    }
    notes.set(text, textNotes(text))
  }
  return notes
}

type Structs = {
  readonly ofMessage: readonly StructHere[]
  readonly ofDomain: readonly StructHere[]
  readonly formOf: FormOf
  readonly texts: NotesOfTexts
}

/** Values of 32 bytes may be hashes of what is not here, as those that accounts take in the place of a document. */
function hashNotes({ ofMessage, ofDomain, formOf, texts }: Structs): readonly Note[] {
  const isHash = (one: LeafHere) => mayBeHash(one, texts)
  const all = [...ofMessage, ...ofDomain].flatMap(({ name, leaves }) => {
    const read = formOf(name)?.noHashes ?? []
    return leaves.filter((one) => isHash(one) && !read.includes(one.member))
  })
  if (all.length === 0) return []
  const isAll = ofMessage.every(({ leaves }) => leaves.every(isHash))
  return [isAll && ofMessage.length > 0 ? note('onlyHash') : noteOf('mayHoldHash', number(all.length))]
}

/** 32 bytes of which not all are 0. */
const hash = /^0x(?!0+$)[0-9a-f]{64}$/

function mayBeHash({ member, leaf: { value, type } }: LeafHere, texts: NotesOfTexts): boolean {
  switch (type.kind) {
    case 'fixedBytes':
    case 'bytes':
      return hash.test(String(value))
    case 'string':
      return texts.get(String(value))?.some(({ code }) => code === 'mayBeHash') === true
    case 'integer':
      return type.bits === 256 && value !== 0n && /hash|root|digest/i.test(member)
    default:
      return false
  }
}
