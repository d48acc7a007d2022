import { bytesToHex } from '@noble/hashes/utils.js'
import {
  type BitcoinPreimage,
  readLegacyPreimage,
  readWitnessPreimage,
} from '../../../../policy/transactions/bitcoin/bitcoin_preimages.ts'
import { addressOfScript, ownScript, scriptKinds } from '../../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { bitcoinNetwork } from '../../../../policy/transactions/transaction_kinds.ts'
import { Failure, orFailure } from '../../../../protocol/wire/failures.ts'
import type { Signer } from '../../../keys.ts'
import type { Note, Value } from '../../explanation.ts'
import { address, code, hex, listed, note, noteOf, number, row, rowsOf, section, tree } from '../../values.ts'
import { warned } from '../../warnings.ts'
import { amountOf, btc } from '../coins.ts'
import type { PayloadReading } from '../signing_content.ts'

/** What the bytes say if they are hashed to the digest of an input of Bitcoin. */
export function bitcoinReading(bytes: Uint8Array, signer: Signer): PayloadReading | undefined {
  const preimage = orFailure(() => readWitnessPreimage(bytes))
  const read = preimage instanceof Failure || preimage === undefined ? readLegacyPreimage(bytes) : preimage
  if (read === undefined) return undefined
  const rows = [
    row('chain', { kind: 'chain', name: 'Bitcoin' }),
    ...listed(read.spends, ({ txid, index }) => tree({ spends: hex(txid), output: number(index) })).map((spent) =>
      row('input', spent),
    ),
    ...rowsOf({ amount: read.amount === undefined ? undefined : amountOf(read.amount, btc) }),
    ...outputRows(read, signer),
    row('lockTime', number(read.lockTime)),
    ...(read.takesInputs ? [row('othersMayAdd', code('inputs'))] : []),
  ]
  const title = warned({ code: 'signPayload', values: [] }, [...openNotes(read), ...paidBy(read, signer)])
  const content = { title, sections: section('transaction', rows) }
  return { warning: note('isTransaction', 'Bitcoin'), content }
}

/** A signature that does not fix every output lets whoever has it decide where the money goes. */
function openNotes({ fixes }: BitcoinPreimage): readonly Note[] {
  return fixes === 'all' ? [] : [noteOf('outputsOpen', code(fixes === 'none' ? 'noOutput' : 'oneOutput'))]
}

/** What goes to whom, or the amount of the input where the outputs are not there. */
function paidBy({ outputs, amount }: BitcoinPreimage, signer: Signer): readonly Note[] {
  if (outputs === undefined) {
    return amount === undefined ? [] : [noteOf('goesTo', amountOf(amount, btc), code('unnamedRecipients'))]
  }
  const ownKinds = signer.curve === 'CURVE_SECP256K1' ? scriptKinds : []
  const own = new Set(ownKinds.map((kind) => bytesToHex(ownScript(kind, signer.publicKey).script)))
  return outputs.map(({ amount: paid, script }) => {
    const gift = noteOf('goesTo', amountOf(paid, btc), recipientOf(script, signer))
    return own.has(bytesToHex(script)) ? noteOf('toOwn', gift) : gift
  })
}

function recipientOf(script: Uint8Array, signer: Signer): Value {
  const to = addressOfScript(script, bitcoinNetwork(signer))
  return to === undefined ? hex(bytesToHex(script)) : address(to.address)
}

function outputRows({ outputs }: BitcoinPreimage, signer: Signer) {
  if (outputs === undefined) return [row('recipients', note('notInContent'))]
  const shown = listed(outputs, ({ amount, script }) =>
    tree({ to: recipientOf(script, signer), amount: amountOf(amount, btc) }),
  )
  return shown.map((output) => row('output', output))
}
