import { bytesToHex } from '@noble/hashes/utils.js'
import {
  type BitcoinPreimage,
  readLegacyPreimage,
  readWitnessPreimage,
} from '../../../../policy/transactions/bitcoin/bitcoin_preimages.ts'
import { addressOfScript } from '../../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { bitcoinNetwork } from '../../../../policy/transactions/transaction_kinds.ts'
import { Failure, orFailure } from '../../../../protocol/wire/failures.ts'
import type { Signer } from '../../../keys.ts'
import type { Note } from '../../explanation.ts'
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
  const title = warned({ code: 'signPayload', values: [] }, openNotes(read))
  const content = { title, sections: section('transaction', rows) }
  return { warning: note('isTransaction', 'Bitcoin'), content }
}

/** A signature that does not fix every output lets whoever has it decide where the money goes. */
function openNotes({ fixes }: BitcoinPreimage): readonly Note[] {
  return fixes === 'all' ? [] : [noteOf('outputsOpen', code(fixes === 'none' ? 'noOutput' : 'oneOutput'))]
}

function outputRows({ outputs }: BitcoinPreimage, signer: Signer) {
  if (outputs === undefined) return [row('recipients', note('notInContent'))]
  const network = bitcoinNetwork(signer)
  const shown = listed(outputs, ({ amount, script }) => {
    const to = addressOfScript(script, network)
    return tree({ to: to === undefined ? hex(bytesToHex(script)) : address(to.address), amount: amountOf(amount, btc) })
  })
  return shown.map((output) => row('output', output))
}
