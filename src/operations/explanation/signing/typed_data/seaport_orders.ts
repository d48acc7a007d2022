import { isList, isMap, type Value as Seen } from '../../../../policy/language/values.ts'
import { encodeType, type TypedData } from '../../../../protocol/chains/eip712.ts'
import type { Note, Row, Title, Value } from '../../explanation.ts'
import { code, ethereumAddress, list, listed, none, note, noteOf, number, row } from '../../values.ts'
import { amountOfToken, weiAmount } from '../coins.ts'

/** `OrderComponents` of Seaport with all that it uses, as it is hashed. */
const item = 'uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount'
const orderType = [
  'OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)',
  `ConsiderationItem(${item},address recipient)`,
  `OfferItem(${item})`,
].join('')
/** A tree of orders, of which one signature offers each. */
const bulkType = /^BulkOrder\(OrderComponents(\[2\]){1,24} tree\)/

export type Offer = { readonly title?: Title; readonly warnings: readonly Note[]; readonly rows: readonly Row[] }

type Signed = { readonly message: ReadonlyMap<string, Seen>; readonly chainId: bigint | undefined }

/** What an order of a market offers, and what the offerer asks for it. Undefined if the document is no order. */
export function offerIn({ primaryType, types }: TypedData, { message, chainId }: Signed): Offer | undefined {
  const type = encodeType(primaryType, types)
  if (bulkType.test(type)) return { warnings: [note('takenBySignature')], rows: [] }
  if (type !== orderType) return undefined
  const offerer = message.get('offerer')
  const offered = itemsIn(message.get('offer')).map((one) => itemValue(one, { chainId, pick: greater }))
  const asked = itemsIn(message.get('consideration'))
    .filter((one) => one.get('recipient') === offerer)
    .map((one) => itemValue(one, { chainId, pick: lesser }))
  const [[given = none, ...moreGiven], [got = none, ...moreGot]] = [offered, asked]
  const isShort = moreGiven.length === 0 && moreGot.length === 0
  return {
    title: isShort
      ? { code: 'offerFor', values: [given, got] }
      : { code: 'offerManyFor', values: [number(offered.length), number(asked.length)] },
    warnings: [note('takenBySignature')],
    rows: [row('offered', listOrNone(offered)), row('asked', listOrNone(asked))],
  }
}

function listOrNone(values: readonly Value[]): Value {
  return values.length === 0 ? none : list(listed(values, (one) => one))
}

type Item = ReadonlyMap<string, Seen>

function itemsIn(given: Seen | undefined): readonly Item[] {
  return given !== undefined && isList(given) ? given.filter((one) => isMap(one)) : []
}

type Shown = Pick<Signed, 'chainId'> & { readonly pick: (one: bigint, other: bigint) => bigint }

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
