import { hexToBytes } from '@noble/hashes/utils.js'
import type { Struct } from '../../../../policy/language/expression_values.ts'
import type { Note, Value } from '../../explanation.ts'
import { hex, hexBytesMax, none, note, noteOf } from '../../shown_values.ts'
import { unreadNote } from '../shared/call_arguments.ts'
import { amountOf, btc } from '../shared/coins.ts'
import { printableText } from '../signed_text/printable_text.ts'

/** Outputs that nobody can spend: they carry data, which other programs may read, and destroy what they hold. */

const opReturn = 0x6a
const [pushOneByte, pushTwoBytes] = [0x4c, 0x4d]
const directPushMax = 75

/** The data of such an output. Undefined for other outputs. */
export function dataIn({ script_pubkey: given }: Struct): Uint8Array | undefined {
  const script = hexToBytes(String(given))
  return script[0] === opReturn ? pushed(script.subarray(1)) : undefined
}

/** The bytes of a single push, if the script has no more than that. All bytes otherwise. */
function pushed(rest: Uint8Array): Uint8Array {
  const [code = 0, low = 0, high = 0] = rest
  if (code <= directPushMax && rest.length === 1 + code) return rest.subarray(1)
  if (code === pushOneByte && rest.length === 2 + low) return rest.subarray(2)
  if (code === pushTwoBytes && rest.length === 3 + low + 256 * high) return rest.subarray(3)
  return rest
}

/** Shows data as a text if it is one. */
export function dataValue(data: Uint8Array): Value {
  return data.length === 0 ? none : (printableText(data) ?? hex(Buffer.from(data).toString('hex')))
}

/** Notes on data in outputs, and on scripts that are not shown to their end. */
export function dataNotes(outputs: readonly Struct[]): readonly Note[] {
  const unread = outputs.reduce((sum, output) => sum + unreadBytesOf(output), 0)
  const hasText = outputs.some((output) => dataValue(dataIn(output) ?? new Uint8Array()).kind === 'text')
  const destroying = outputs.filter((output) => typeof output.value === 'bigint' && output.value > 0n && dataIn(output))
  return [
    ...destroying.map(({ value, script_pubkey: script }) =>
      noteOf('destroysTokens', amountOf(BigInt(String(value)), btc), hex(String(script))),
    ),
    ...(unread === 0 ? [] : [unreadNote(unread)]),
    ...(hasText ? [note('dataBeside')] : []),
  ]
}

function unreadBytesOf(output: Struct): number {
  const data = dataIn(output)
  if (data !== undefined) return dataValue(data).kind === 'hex' ? data.length : 0
  const hasAddress = typeof output.address === 'string' && output.address !== ''
  return hasAddress ? 0 : Math.max(0, String(output.script_pubkey).length / 2 - hexBytesMax)
}
