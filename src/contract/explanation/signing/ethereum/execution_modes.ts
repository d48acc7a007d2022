import { hexToBytes } from '@noble/hashes/utils.js'
import { readAbiArguments } from '../../../../policy/contracts/ethereum/abi_values.ts'
import { isList } from '../../../../policy/language/expression_values.ts'
import { signatureOf } from './function_signatures.ts'
import { type ContractCall, type HeldCalls, type Holder, tuples, zeroAsSelf } from './held_calls.ts'

/** ERC-7579: the first byte of the mode says what the rest is. */
export const byMode: HeldCalls = (args, holder) => {
  const [mode, data] = [String(args.get('mode')), String(args.get('data'))]
  const kind = mode.slice(0, 4)
  if (kind === '0x01') return batchIn(data, { holder, selector: mode.slice(14, 22) })
  const [to, rest] = [data.slice(0, 42), data.slice(42)]
  if (to.length < 42) return undefined
  if (kind === '0xff') return [{ to, value: 0n, data: rest, kind: 'delegate', frameBytes: 20 }]
  if (kind !== '0x00' || rest.length < 64) return undefined
  return [{ to, value: BigInt(`0x${rest.slice(0, 64)}`), data: rest.slice(64), kind: 'call', frameBytes: 52 }]
}

/** `selector`: the bytes of the mode that tell the kinds of batches of ERC-7821. Others are those of accounts' own. */
type Batch = { readonly holder: Holder; readonly selector: string }

const calls = '(address to, uint256 value, bytes data)[] calls'
const [callsAlone, callsWithData, batches] = [`(${calls})`, `(${calls}, bytes opData)`, '(bytes[] batches)'].map(
  (declared) => signatureOf(declared).parameters,
)

const [withData, ofBatches] = ['78210001', '78210002']

function batchIn(data: string, { holder, selector }: Batch): readonly ContractCall[] | undefined {
  if (selector === ofBatches) return batchesIn(data, holder)
  const read = readWhole(data, callsAlone) ?? (selector === withData ? readWhole(data, callsWithData) : undefined)
  const held = read && tuples('calls')(read.args, holder)
  if (read === undefined || held === undefined) return undefined
  return framed(
    read.around,
    held.map((call) => zeroAsSelf(call, holder)),
  )
}

function batchesIn(data: string, holder: Holder): readonly ContractCall[] | undefined {
  const read = readWhole(data, batches)
  const given = read?.args.get('batches')
  if (read === undefined || given === undefined || !isList(given)) return undefined
  const all = given.map((one) => batchIn(String(one), { holder, selector: withData }))
  const held = all.flatMap((one) => one ?? [])
  return all.includes(undefined) ? undefined : framed(read.around, held)
}

/** The arguments, and the bytes around those that are bytes themselves. Undefined if some of the data is not read. */
function readWhole(data: string, parameters: Parameters<typeof readAbiArguments>[1] = []) {
  const bytes = hexToBytes(data.slice(2))
  const reading = readAbiArguments(bytes, parameters)
  if (reading.kind !== 'read' || reading.unreadBytes > 0) return undefined
  return { args: reading.args, around: bytes.length - reading.opaqueBytes }
}

/** The first call counts what stands around all of them. */
function framed(bytes: number, [first, ...others]: readonly ContractCall[]): readonly ContractCall[] {
  return first === undefined ? [] : [{ ...first, frameBytes: first.frameBytes + bytes }, ...others]
}
