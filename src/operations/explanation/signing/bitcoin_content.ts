import { bytesToHex } from '@noble/hashes/utils.js'
import { isList, isStruct, type Struct } from '../../../policy/language/values.ts'
import { type Psbt, readPsbt } from '../../../policy/transactions/bitcoin/bitcoin.ts'
import { addressOfScript, ownScript, scriptKinds } from '../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { bitcoinNetwork } from '../../../policy/transactions/transaction_kinds.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Signer } from '../../keys.ts'
import type { Row, Value } from '../explanation.ts'
import { address, code, hex, listed, note, number, row, section, tree } from '../values.ts'
import { amountOf, btc } from './coins.ts'
import { decodedValue } from './decoded_values.ts'
import type { Content, TransactionContent } from './signing_content.ts'

/**
 * Explains a PSBT: amounts, addresses and the fee of its outputs from what conditions see, and the outputs that its
 * inputs spend as the PSBT states them.
 */
export function* bitcoinContent({ tx, bytes, signer }: TransactionContent): Steps<Content> {
  const psbt = yield* readPsbt(bytes)
  const outputs = tx.outputs !== undefined && isList(tx.outputs) ? tx.outputs.filter(isStruct) : []
  const own = new Set(scriptKinds.map((kind) => bytesToHex(ownScript(kind, signer.publicKey).script)))
  const isOwn = ({ script_pubkey: script }: Struct) => own.has(String(script))
  const others = outputs.filter((output) => !isOwn(output))
  const [first, ...more] = others
  return {
    title:
      first === undefined
        ? { code: 'sendToSelf', values: [sumOf(outputs)] }
        : more.length === 0
          ? { code: 'send', values: [sumOf(others), outputAddress(first)] }
          : { code: 'sendToMany', values: [sumOf(others), number(others.length)] },
    sections: [
      ...section('transaction', [
        row('chain', { kind: 'chain', name: 'Bitcoin' }),
        row('network', networkOf(signer)),
        row('fee', typeof tx.fee === 'bigint' ? amountOf(tx.fee, btc) : note('feeUncertain')),
        row('lockTime', decodedValue(tx.locktime)),
      ]),
      ...section('transfers', [
        ...inputRows(psbt, { signer, own }),
        ...labelled(
          'output',
          listed(outputs, (output) => outputValue(output, { isOwn: isOwn(output) }), sumOf),
        ),
      ]),
    ],
  }
}

function labelled(label: string, values: readonly Value[]): readonly Row[] {
  return values.map((value) => row(value.kind === 'leftOut' ? `${label}sLeftOut` : label, value))
}

/** The address format of the signer names the network. A bare key is taken to be of the main network. */
function networkOf({ addressFormat }: Signer): Value {
  if (addressFormat?.startsWith('ADDRESS_FORMAT_BITCOIN_') !== true) return note('notInContent')
  return code(addressFormat.replace(/^ADDRESS_FORMAT_BITCOIN_|_P2\w+$/g, ''))
}

function outputValue(output: Struct, { isOwn }: { readonly isOwn: boolean }): Value {
  return tree({
    to: outputAddress(output),
    amount: sumOf([output]),
    ...(isOwn ? { backTo: code('ownKey') } : {}),
  })
}

/** The address, or the script itself if it has none. */
function outputAddress({ address: to, script_pubkey: script }: Struct): Value {
  return typeof to === 'string' && to !== '' ? address(to) : hex(String(script))
}

function sumOf(outputs: readonly Struct[]): Value {
  const sum = outputs.reduce((before, { value }) => before + (typeof value === 'bigint' ? value : 0n), 0n)
  return amountOf(sum, btc)
}

function inputRows(
  { spent, transaction }: Psbt,
  { signer, own }: { readonly signer: Signer; readonly own: ReadonlySet<string> },
): readonly Row[] {
  const network = bitcoinNetwork(signer)
  const inputs = spent.map((output, index) => ({ ...output, source: transaction.inputs[index] }))
  const shown = listed(
    inputs,
    ({ script, amount, isVerified, source }) => {
      const from = addressOfScript(script, network)
      return tree({
        from: from === undefined ? hex(bytesToHex(script)) : address(from.address),
        amount: amountOf(amount, btc),
        ...(isVerified ? {} : { stated: code('byRequestOnly') }),
        ...(own.has(bytesToHex(script)) ? { signedBy: code('ownKey') } : {}),
        spends: source === undefined ? undefined : hex(source.txid),
        output: source === undefined ? undefined : number(source.index),
      })
    },
    (leftOut) =>
      amountOf(
        leftOut.reduce((sum, { amount }) => sum + amount, 0n),
        btc,
      ),
  )
  return labelled('input', shown)
}
