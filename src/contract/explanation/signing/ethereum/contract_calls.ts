import { hexToBytes } from '@noble/hashes/utils.js'
import { readEthereumCall } from '../../../../policy/contracts/ethereum/ethereum_call.ts'
import { argsOf, type Reading } from '../../../../policy/contracts/reading.ts'
import { zeroAddress } from '../../../../protocol/chains/ethereum_values.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import type { Note, Value } from '../../explanation.ts'
import { code, flag, hex, list, listed, none, note, noteOf, number, shortName, text, tree } from '../../shown_values.ts'
import { argumentsValue, hasUnlimited, type UnreadCounts } from '../shared/call_arguments.ts'
import { type Funds, fundsIn } from '../shared/fee_warnings.ts'
import { isSame, itselfNote, type OwnAccounts, ownNote } from '../shared/own_accounts.ts'
import { type CallContext, type CallReading, doneBy, selectorOf } from './call_reading.ts'
import { delegateNotes } from './delegate_calls.ts'
import { type ContractCall, callsMax, depthMax, ofItself, ofProxy } from './held_calls.ts'
import { giverIn, type KnownCall, knownCallOf } from './known_calls.ts'
import { borrowsName, isNamedOtherwise, knownFunctionIn } from './known_functions.ts'
import { keySignatureBytes, refundNotes } from './safe_transactions.ts'
import type { TokenCall } from './token_calls.ts'

type Place = CallContext & {
  /** The accounts that act or sign. */
  readonly accounts: readonly (Value | undefined)[]
  readonly depth: number
  readonly count: { calls: number }
}

/** Reads a call by what is known without an interface and, below that, by the interfaces of its contract. */
export function readContractCall(call: Pick<ContractCall, 'to' | 'data'>, context: CallContext): Steps<CallReading> {
  return readAt(call, { ...context, accounts: accountsIn(call, context), depth: 1, count: { calls: 1 } })
}

/** The signer, the caller and payer, and the called contract if it calls others itself. */
function accountsIn({ to, data }: Pick<ContractCall, 'to' | 'data'>, context: CallContext): Place['accounts'] {
  const { calls, callsBy } = knownFunctionIn(data) ?? {}
  const isActing = calls !== undefined && calls !== ofItself && callsBy !== 'others'
  const others = [context.caller, context.payer, isActing ? selfOf(to, context) : undefined].flatMap((one) => one ?? [])
  return [context.signer, ...others.map(context.forms.addressOf)]
}

function* readAt({ to, data }: Pick<ContractCall, 'to' | 'data'>, place: Place): Steps<CallReading> {
  const { forms, signer } = place
  const { addressOf } = forms
  const known = knownCallOf({ contract: selfOf(to, place) ?? to, data, addressOf })
  const own = { signer, giver: known && giverIn(known, callerIn(place), addressOf) }
  const token = ownToken(known?.token, own)
  const claim = yield* claimOf({ to, data }, place)
  const reading = known?.reading ?? claim?.reading
  const held = known && (yield* heldIn(known, { to, place }))
  const claims = claim && {
    function: text(claim.functionName),
    arguments: argumentsValue(claim.reading, addressOf),
    decodedBy: list(claim.interfaces),
  }
  const safeArgs = known?.known.name === 'execTransaction' ? argsOf(known.reading) : undefined
  const functionName = known === undefined ? claim && shortName(claim.functionName) : text(known.known.name)
  const isKnown = token !== undefined || held !== undefined || (known !== undefined && known.effects.length > 0)
  const isUnlimited = token === undefined && reading?.kind === 'read' && hasUnlimited(reading.args)
  return {
    token,
    functionName,
    parts: {
      contract: addressOf(to),
      ...(known === undefined ? {} : { function: code(known.known.name) }),
      selector: data === '' ? undefined : selectorOf(data),
      ...(known === undefined
        ? claims
        : {
            arguments: token === undefined ? argumentsValue(known.reading, addressOf) : undefined,
            readAs: mayNameToken(known) ? note('amountOrTokenId') : undefined,
            claimed: claims && tree(claims),
          }),
      calls: held?.shown,
      unknown: reading === undefined && data !== '' ? note('unknownCall', `0x${data.slice(0, 8)}`) : undefined,
    },
    warnings: [
      ...(known?.effects ?? [])
        .filter((effect) => !isOwnFee(effect, own))
        .map((effect) => itselfNote(ownNote(effect, own), place.accounts)),
      ...(safeArgs === undefined ? [] : refundNotes(safeArgs, forms)),
      ...(isUnlimited ? [note('unlimited')] : []),
      ...limitNotes(reading, known),
      ...renamingNotes(known, claim),
      ...(held?.warnings ?? []),
    ],
    called: data === '' || isKnown ? undefined : noteOf('callsInside', functionName ?? selectorOf(data), addressOf(to)),
    byInterface:
      claim === undefined || known !== undefined
        ? undefined
        : noteOf('onlyInterface', shortName(claim.functionName), list(claim.interfaces)),
    funds: held?.funds ?? { sent: 0n },
    counts:
      reading?.kind === 'read'
        ? {
            unreadBytes: reading.unreadBytes + (held?.unreadBytes ?? 0),
            opaqueBytes: reading.opaqueBytes + (held?.opaqueBytes ?? 0) - (safeArgs ? keySignatureBytes(safeArgs) : 0),
          }
        : undefined,
  }
}

/** The account whose coins and storage a call has: that of the caller in a delegate call, if it is known. */
function selfOf(to: string, { isDelegate, caller }: CallContext): string | undefined {
  return isDelegate === true ? caller : to
}

function callerIn({ caller, forms }: CallContext): Value | undefined {
  return caller === undefined ? undefined : forms.addressOf(caller)
}

function ownToken(token: TokenCall | undefined, own: OwnAccounts): TokenCall | undefined {
  return token && { ...token, effect: token.effect && ownNote(token.effect, own) }
}

/** The sender of accounts' operations gets their fees, if nobody else is named. */
function isOwnFee({ values: [fees, to] = [] }: Note, { signer, giver }: OwnAccounts): boolean {
  return fees?.kind === 'code' && fees.code === 'feesOfOperations' && (isSame(to, signer) || isSame(to, giver))
}

function mayNameToken({ known: { effect } }: KnownCall): boolean {
  return effect?.does === 'destroyTokens' && effect.isTokenId === true
}

/** The claims of the uploaded interfaces about a call. */
type Claim = { readonly functionName: string; readonly reading: Reading; readonly interfaces: readonly Value[] }

function* claimOf({ to, data }: Pick<ContractCall, 'to' | 'data'>, { now }: Place): Steps<Claim | undefined> {
  const uploaded = now.interfacesAt(to)
  if (uploaded.length === 0) return undefined
  const call = yield* readEthereumCall(
    hexToBytes(data),
    uploaded.map(({ smartContractInterface }) => smartContractInterface),
  )
  if (call === undefined) return undefined
  const used = uploaded.filter(({ smartContractInterface }) => call.abis.includes(smartContractInterface))
  const interfaces = used.map(({ smartContractInterfaceId }) => now.named(smartContractInterfaceId))
  return { functionName: call.functionName, reading: call.reading, interfaces }
}

/** Arguments that are not read hide what the call does, and calls in them most of all. */
function limitNotes(reading: Reading | undefined, known: KnownCall | undefined): readonly Note[] {
  if (reading?.kind === 'tooMuch') return [noteOf('beyondLimit', number(reading.valuesMax))]
  return known?.known.calls !== undefined && known.reading.kind !== 'read' ? [note('unreadable')] : []
}

function renamingNotes(known: KnownCall | undefined, claim: Claim | undefined): readonly Note[] {
  if (claim === undefined) return []
  const { functionName, reading } = claim
  if (known === undefined) return borrowsName(functionName) ? [noteOf('borrowedName', text(functionName))] : []
  const parameters = reading.kind === 'read' ? reading.parameters : undefined
  const isOther = isNamedOtherwise(known.known, { functionName, parameters })
  return isOther ? [noteOf('otherNames', text(known.known.name))] : []
}

/** Their counts are what they add to those of the whole. */
type Held = UnreadCounts & Pick<CallReading, 'funds'> & { readonly shown: Value; readonly warnings: readonly Note[] }

type Around = { readonly to: string; readonly place: Place }

/** Lists that do not fit together: a contract may read them in another way. */
const unfitting: Held = {
  ...{ shown: note('unreadable'), warnings: [note('unreadable')], unreadBytes: 0, opaqueBytes: 0 },
  funds: { sent: 0n },
}

/** Notes that there are more calls, or more levels of them, than are read. */
export function beyondCalls(max: number): Note {
  return noteOf('callsBeyondLimit', number(max), number(depthMax))
}

/** Notes a call without data and value, which runs code of the called contract. */
export function emptyCallNote(to: Value): Note {
  return noteOf('callsInside', code('unknownFunction'), to)
}

/** Reads the calls in a call, without those that do nothing. */
function* heldIn({ known, reading }: KnownCall, { to, place }: Around): Steps<Held | undefined> {
  if (known.calls === undefined || reading.kind !== 'read') return undefined
  const self = selfOf(to, place)
  const found = known.calls(reading.args, { contract: to, self })
  if (found === undefined) return unfitting
  const calls = found.filter(
    (call) => !isEmpty(call) || call.kind === 'delegate' || runsCode(call, { known, self, place }),
  )
  if (calls.length === 0) return undefined
  const shown: Value[] = []
  const warnings: Note[] = []
  const funds: Funds[] = []
  let [unreadBytes, opaqueBytes] = [0, 0]
  for (const call of calls) {
    if (place.depth >= depthMax || place.count.calls >= callsMax) {
      warnings.push(beyondCalls(callsMax))
      break
    }
    yield
    place.count.calls += 1
    const caller = call.kind === 'ownCode' ? place.caller : known.callsBy === 'others' ? undefined : self
    const isDelegate = call.kind === 'ownCode' ? place.isDelegate === true : call.kind === 'delegate'
    const inner = { ...place, caller, isDelegate, depth: place.depth + 1 }
    const read = call.kind === 'create' ? undefined : yield* readAt(call, inner)
    shown.push(heldValue(call, { read, place: inner }))
    warnings.push(...heldNotes(call, { read, place: inner }))
    opaqueBytes -= call.frameBytes
    funds.push(fundsOf(call, inner), ...(read === undefined ? [] : [read.funds]))
    if (read?.counts === undefined) continue
    unreadBytes += read.counts.unreadBytes
    opaqueBytes += read.counts.opaqueBytes - call.data.length / 2
  }
  return { shown: list(listed(shown, (one) => one)), warnings, unreadBytes, opaqueBytes, funds: fundsIn(funds) }
}

const isEmpty = ({ data, value }: ContractCall) => data === '' && value === 0n

/**
 * Whether a call without data and value runs code that sees the account as its caller: a contract has a function for it
 * (`receive` or `fallback`). An upgrade without data, and an operation of a smart account without, make no call.
 */
function runsCode(
  { kind, to }: ContractCall,
  { known, self, place }: Pick<KnownCall, 'known'> & { readonly self: string | undefined; readonly place: Place },
): boolean {
  const isOwn = to === self || isSame(place.forms.addressOf(to), place.signer)
  const isSkipped = known.calls === ofProxy || known.name === 'handleOps'
  return kind === 'call' && !isOwn && !isSkipped && known.callsBy !== 'others'
}

/** Another contract sends its own, and code that acts as the account itself gets nothing. The key that signs keeps its own. */
function fundsOf({ to, value, kind }: ContractCall, { caller, payer, signer, forms }: CallContext): Funds {
  if (kind === 'delegate' || payer === undefined || caller !== payer) return { sent: 0n }
  return to === payer || isSame(forms.addressOf(to), signer) ? { sent: 0n, returned: value } : { sent: value }
}

/** `read`: undefined for the code of a new contract. */
type ReadHere = { readonly read: CallReading | undefined; readonly place: Place }

function heldValue({ value, data, kind, isToZero }: ContractCall, { read, place: { forms } }: ReadHere): Value {
  return tree({
    asToken: read?.token?.shown,
    ...(read?.parts ?? { contract: code('newContract') }),
    to: isToZero ? forms.addressOf(zeroAddress) : undefined,
    amount: value === 0n || kind === 'delegate' ? undefined : forms.coin(value),
    delegateCall: kind === 'delegate' ? flag(true) : undefined,
    data: read?.counts === undefined && data !== '' ? hex(data) : undefined,
  })
}

/** How much of a call in a call is not read is in the counts of the whole. */
function heldNotes(call: ContractCall, { read, place }: ReadHere): readonly Note[] {
  const { to, data, value, kind } = call
  return [
    ...(kind === 'delegate' ? delegateNotes(call, place.forms.addressOf(to)) : []),
    ...(value === 0n || kind === 'delegate' ? [] : [valueNote(call, place)]),
    ...(kind === 'create' ? [noteOf('createsContract', number(data.length / 2))] : []),
    ...(kind === 'call' && isEmpty(call) ? [emptyCallNote(place.forms.addressOf(to))] : []),
    ...(read === undefined ? [] : doneBy(read)),
  ]
}

/** Notes the recipient of a call's value. */
function valueNote({ to, value, kind, isToZero }: ContractCall, place: Place): Note {
  const { forms, signer } = place
  const giver = callerIn(place)
  if (isToZero) return noteOf('lostOrOwn', forms.coin(value), giver ?? none)
  const target = kind === 'create' ? code('newContract') : forms.addressOf(to)
  return ownNote(noteOf('goesTo', forms.coin(value), target), { signer, giver })
}
