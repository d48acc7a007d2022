import { bytesToHex } from '@noble/hashes/utils.js'
import {
  type BitcoinPreimage,
  readLegacyPreimage,
  readWitnessPreimage,
} from '../../../../policy/transactions/bitcoin/bitcoin_preimages.ts'
import { scriptsOwnedBy } from '../../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../../protocol/wire/failures.ts'
import type { Signer } from '../../../keys.ts'
import type { PayloadReading } from '../../content.ts'
import type { Note } from '../../explanation.ts'
import { code, hex, listed, note, noteOf, number, row, rowsOf, section, tree } from '../../shown_values.ts'
import { warned } from '../../warnings.ts'
import { amountOf, btc } from '../shared/coins.ts'
import { networkNotes } from './bitcoin_networks.ts'
import { scriptValue } from './script_value.ts'

/** A hundred kilobytes hold eleven thousand outputs. */
const outputsInARow = 500

/** Reads the bytes as those that are hashed to the digest of an input of Bitcoin. */
export function* bitcoinReading(bytes: Uint8Array, signer: Signer): Steps<PayloadReading | undefined> {
  const preimage = orFailure(() => readWitnessPreimage(bytes))
  const read = preimage instanceof Failure || preimage === undefined ? yield* readLegacyPreimage(bytes) : preimage
  if (read === undefined) return undefined
  const rows = [
    row('chain', { kind: 'chain', name: 'Bitcoin' }),
    row('network', note('notInContent')),
    ...listed(read.spends, ({ txid, index }) => tree({ spends: hex(txid), output: number(index) })).map((spent) =>
      row('input', spent),
    ),
    ...rowsOf({ amount: read.amount === undefined ? undefined : amountOf(read.amount, btc) }),
    ...outputRows(read),
    row('lockTime', number(read.lockTime)),
    ...(read.takesInputs ? [row('othersMayAdd', code('inputs'))] : []),
  ]
  const paid = yield* paidBy(read, signer)
  yield
  const title = warned({ code: 'signPayload', values: [] }, [...openNotes(read), ...paid, ...networkNotes(signer)])
  const content = { title, sections: section('transaction', rows) }
  return { warning: note('isTransaction', 'Bitcoin'), content }
}

/** A signature that does not fix every output lets its holder decide where the money goes. */
function openNotes({ fixes }: BitcoinPreimage): readonly Note[] {
  return fixes === 'all' ? [] : [noteOf('outputsOpen', code(fixes === 'none' ? 'noOutput' : 'oneOutput'))]
}

/** The payments of the outputs, or the amount of the input where the outputs are not there. */
function* paidBy({ outputs, amount }: BitcoinPreimage, signer: Signer): Steps<readonly Note[]> {
  if (outputs === undefined) {
    return amount === undefined ? [] : [noteOf('goesTo', amountOf(amount, btc), code('unnamedRecipients'))]
  }
  const own = signer.curve === 'CURVE_SECP256K1' ? scriptsOwnedBy(signer.publicKey) : new Set()
  const notes: Note[] = []
  for (const { amount: paid, script } of outputs) {
    if (notes.length % outputsInARow === 0) yield
    const gift = noteOf('goesTo', amountOf(paid, btc), scriptValue(script))
    notes.push(own.has(bytesToHex(script)) ? noteOf('toOwn', gift) : gift)
  }
  return notes
}

function outputRows({ outputs }: BitcoinPreimage) {
  if (outputs === undefined) return [row('recipients', note('notInContent'))]
  const shown = listed(outputs, ({ amount, script }) =>
    tree({ to: scriptValue(script), amount: amountOf(amount, btc) }),
  )
  return shown.map((output) => row('output', output))
}
