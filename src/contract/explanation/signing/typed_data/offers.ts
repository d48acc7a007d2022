import { isList, isMap, type Value as Seen } from '../../../../policy/language/expression_values.ts'
import { zeroAddress } from '../../../../protocol/chains/ethereum_values.ts'
import type { Note, Value } from '../../explanation.ts'
import {
  code,
  ethereumAddress,
  list,
  listed,
  namedInTitle,
  none,
  note,
  noteOf,
  number,
  row,
} from '../../shown_values.ts'
import { amountOfToken, weiAmount } from '../shared/coins.ts'
import {
  addressIn,
  chainIn,
  type DocumentForm,
  type Members,
  numberIn,
  type Offer,
  type Signed,
} from './document_forms.ts'

/** `OrderComponents` of Seaport with all that it uses, as it is hashed. */
const item = 'uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount'
const orderType = [
  'OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)',
  `ConsiderationItem(${item},address recipient)`,
  `OfferItem(${item})`,
].join('')
/** A tree of orders, of which one signature offers each. */
const bulkType = /^BulkOrder\(OrderComponents(\[2\]){1,24} tree\)ConsiderationItem\(/

/** CoW Protocol: `GPv2Order`. */
const cowType =
  'Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance)'

/** Orders of markets. */
export const orders: readonly DocumentForm[] = [
  {
    type: exactly(orderType),
    notes: takenNotes,
    offer: seaportOffer,
    by: offererOf,
    noHashes: ['zoneHash', 'conduitKey'],
  },
  { type: bulkType, notes: takenNotes },
  { type: exactly(cowType), notes: cowNotes, offer: cowOffer, noHashes: ['appData'] },
]

function exactly(type: string): RegExp {
  return new RegExp(`^${type.replace(/[()[\]]/g, String.raw`\$&`)}$`)
}

function offererOf({ message }: Signed): Value {
  return addressIn(message, 'offerer')
}

function takenNotes(): readonly Note[] {
  return [note('takenBySignature')]
}

/** Address zero stands for the one who sells. */
function cowNotes({ message, domain }: Signed): readonly Note[] {
  const isOwn = message.get('receiver') === zeroAddress
  const bought = cowAmount(message, { amount: numberIn(message, 'buyAmount'), token: 'buyToken', domain })
  return [...takenNotes(), ...(isOwn ? [] : [noteOf('goesTo', bought, addressIn(message, 'receiver'))])]
}

type Sold = { readonly amount: bigint; readonly token: string; readonly domain: Members }

/** The address for ether among tokens. */
const etherAddress = `0x${'ee'.repeat(20)}`

function cowAmount(message: Members, { amount, token, domain }: Sold): Value {
  const given = String(message.get(token))
  return given === etherAddress ? weiAmount(amount, chainIn(domain)) : amountOfToken(amount, given)
}

function cowOffer({ message, domain }: Signed): Offer {
  const amount = numberIn(message, 'sellAmount') + numberIn(message, 'feeAmount')
  const sold = cowAmount(message, { amount, token: 'sellToken', domain })
  const bought = cowAmount(message, { amount: numberIn(message, 'buyAmount'), token: 'buyToken', domain })
  return { title: { code: 'offerFor', values: [sold, bought] }, rows: [row('offered', sold), row('asked', bought)] }
}

function seaportOffer({ message, domain }: Signed): Offer {
  const chainId = chainIn(domain)
  const offerer = message.get('offerer')
  const offered = itemsIn(message.get('offer')).map((one) => itemValue(one, { chainId, pick: greater }))
  const asked = itemsIn(message.get('consideration'))
    .filter((one) => one.get('recipient') === offerer)
    .map((one) => itemValue(one, { chainId, pick: lesser }))
  return {
    title: { code: 'offerFor', values: [inTitle(offered), inTitle(asked)] },
    rows: [row('offered', listOrNone(offered)), row('asked', listOrNone(asked))],
  }
}

/** The first things, and how many more there are. */
function inTitle(values: readonly Value[]): Value {
  const named = namedInTitle(values)
  return named.length === 0 ? none : named.reduceRight((others, one) => noteOf('and', one, others))
}

function listOrNone(values: readonly Value[]): Value {
  return values.length === 0 ? none : list(listed(values, (one) => one))
}

type Item = ReadonlyMap<string, Seen>

function itemsIn(given: Seen | undefined): readonly Item[] {
  return given !== undefined && isList(given) ? given.filter((one) => isMap(one)) : []
}

type Shown = { readonly chainId: bigint | undefined; readonly pick: (one: bigint, other: bigint) => bigint }

/** An amount may change with time from its start to its end. Shown is what is worse for the offerer. */
function itemValue(given: Item, { chainId, pick }: Shown): Value {
  const [kind, start, end] = [given.get('itemType'), given.get('startAmount'), given.get('endAmount')]
  const token = String(given.get('token'))
  const id = given.get('identifierOrCriteria')
  if (typeof start !== 'bigint' || typeof end !== 'bigint' || typeof id !== 'bigint') return note('unreadable')
  const amount = pick(start, end)
  switch (kind) {
    case 0n:
      return weiAmount(amount, chainId)
    case 1n:
      return amountOfToken(amount, token)
    case 2n:
    case 3n:
      return noteOf('singleTokens', number(amount), number(id), ethereumAddress(token))
    // The number is the root of a tree of tokens, or 0 for all.
    case 4n:
    case 5n:
      return noteOf(id === 0n ? 'anyTokens' : 'hashedTokens', number(amount), ethereumAddress(token))
    default:
      return code('unknown')
  }
}

function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
