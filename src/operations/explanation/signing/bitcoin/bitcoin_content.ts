import { bytesToHex } from '@noble/hashes/utils.js'
import { type Struct, structsIn } from '../../../../policy/language/values.ts'
import { type Psbt, readPsbt } from '../../../../policy/transactions/bitcoin/bitcoin.ts'
import { addressOfScript, ownScript, scriptKinds } from '../../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { bitcoinNetwork } from '../../../../policy/transactions/transaction_kinds.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import type { Signer } from '../../../keys.ts'
import type { WalletAccount } from '../../../records/records.ts'
import { accountValue } from '../../account_value.ts'
import type { Now } from '../../explain_context.ts'
import type { Note, Row, Title, Value } from '../../explanation.ts'
import { address, code, hex, itemRows, listed, note, noteOf, number, row, section, tree } from '../../values.ts'
import { warned } from '../../warnings.ts'
import { amountOf, btc } from '../coins.ts'
import { decodedValue } from '../decoded_values.ts'
import { feeWarnings } from '../fee_warnings.ts'
import type { Content, TransactionContent } from '../signing_content.ts'
import { dataIn, dataNotes, dataValue } from './bitcoin_data.ts'

/**
 * Explains a PSBT: amounts, addresses and the fee of its outputs from what conditions see, and the outputs that its
 * inputs spend as the PSBT states them.
 */
export function* bitcoinContent({ tx, bytes, signer, now }: TransactionContent): Steps<Content> {
  const psbt = yield* readPsbt(bytes)
  const outputs = structsIn(tx.outputs)
  const own = new Set(scriptKinds.map((kind) => bytesToHex(ownScript(kind, signer.publicKey).script)))
  const isOwn = ({ script_pubkey: script }: Struct) => own.has(String(script))
  const accounts = now.accountsAt(outputs.filter((output) => !isOwn(output)).flatMap(addressIn))
  const ownWalletId = walletOf(signer, now)
  const accountOf = (output: Struct) => addressIn(output).flatMap((one) => accounts.get(one) ?? [])[0]
  const isOfWallet = (output: Struct) => ownWalletId !== undefined && accountOf(output)?.walletId === ownWalletId
  const shownOutput = (output: Struct) => {
    const data = dataIn(output)
    if (data !== undefined) {
      return tree({ data: dataValue(data), script: hex(String(output.script_pubkey)), amount: sumOf([output]) })
    }
    const account = accountOf(output)
    const to = account === undefined ? outputAddress(output) : accountValue(account, now)
    return tree({
      to,
      amount: sumOf([output]),
      backTo: isOwn(output) ? code('ownKey') : isOfWallet(output) ? code('ownAccount') : undefined,
      exportedBefore: account !== undefined && isExported(account, now) ? code('yes') : undefined,
    })
  }
  const sent = sentIn(outputs, { isOwn, isOfWallet })
  return {
    title: warned(titleOf(outputs, { isOwn, isOfWallet }), [
      ...feeNotes(psbt, { tx, outputs, sent }),
      ...exportNotes(
        outputs.filter(isOfWallet).flatMap((output) => accountOf(output) ?? []),
        { signer, now },
      ),
      ...dataNotes(outputs),
    ]),
    sections: [
      ...section('transaction', [
        row('chain', { kind: 'chain', name: 'Bitcoin' }),
        row('network', networkOf(signer)),
        row('fee', typeof tx.fee === 'bigint' ? amountOf(tx.fee, btc) : note('feeUncertain')),
        row('lockTime', decodedValue(tx.locktime)),
      ]),
      ...section('transfers', [
        ...inputRows(psbt, { signer, own }),
        ...itemRows('output', listed(outputs, shownOutput, sumOf)),
      ]),
    ],
  }
}

/** The address format of the signer names the network. A bare key is taken to be of the main network. */
function networkOf({ addressFormat }: Signer): Value {
  if (addressFormat?.startsWith('ADDRESS_FORMAT_BITCOIN_') !== true) return note('notInContent')
  return code(addressFormat.replace(/^ADDRESS_FORMAT_BITCOIN_|_P2\w+$/g, ''))
}

type Ownership = {
  readonly isOwn: (output: Struct) => boolean
  /** Whether another account of the signer's wallet gets it. */
  readonly isOfWallet: (output: Struct) => boolean
}

type Payment = { readonly tx: Struct; readonly outputs: readonly Struct[]; readonly sent: readonly Struct[] }

/** The fee is what the inputs have more than the outputs, as the PSBT states it. */
function feeNotes({ spent }: Psbt, { tx, outputs, sent }: Payment): readonly Note[] {
  const fee = spent.reduce((sum, { amount }) => sum + amount, 0n) - satoshisIn(outputs)
  return [
    ...feeWarnings({
      ...{ fee, sent: satoshisIn(sent), bounds: btc.fees, shown: amountOf(fee, btc) },
      returned: satoshisIn(outputs),
    }),
    ...(typeof tx.fee === 'bigint' ? [] : [note('feeUncertain')]),
  ]
}

/** What goes to others. */
function sentIn(outputs: readonly Struct[], { isOwn, isOfWallet }: Ownership): readonly Struct[] {
  return outputs.filter((output) => !isOwn(output) && !isOfWallet(output))
}

/** Data that nothing is sent to. */
function isDataAlone(output: Struct): boolean {
  return output.value === 0n && dataIn(output) !== undefined
}

/** Names what goes to others. Several outputs may go to one. Only if nothing does, the title says what stays. */
function titleOf(outputs: readonly Struct[], { isOwn, isOfWallet }: Ownership): Title {
  const others = outputs.filter((output) => !isOwn(output) && !isOfWallet(output) && !isDataAlone(output))
  const [first] = others
  const count = new Set(others.map(({ script_pubkey: script }) => script)).size
  if (first !== undefined && count === 1) return { code: 'send', values: [sumOf(others), outputAddress(first)] }
  if (first !== undefined) return { code: 'sendToMany', values: [sumOf(others), number(count)] }
  const ofWallet = outputs.filter(isOfWallet)
  return ofWallet.length === 0
    ? { code: 'sendToSelf', values: [sumOf(outputs)] }
    : { code: 'sendToOwn', values: [sumOf(ofWallet)] }
}

/** Others may have the private key of an account that was exported, or of one of an exported wallet. */
function isExported({ exported, walletId }: WalletAccount, { find }: Pick<Now, 'find'>): boolean {
  return exported === true || find('wallet', walletId)?.exported === true
}

/** What goes to an exported account is no worse off there if others may have the key that signs, too. */
function exportNotes(
  accounts: readonly WalletAccount[],
  { signer, now }: Pick<TransactionContent, 'signer' | 'now'>,
): readonly Note[] {
  const own = signer.kind === 'wallet_account' ? now.find('wallet_account', signer.recordId) : undefined
  if (own === undefined || isExported(own, now)) return []
  return accounts.filter((one) => isExported(one, now)).map((one) => noteOf('ownIsExported', accountValue(one, now)))
}

function walletOf({ kind, recordId }: Signer, { find }: TransactionContent['now']): string | undefined {
  return kind === 'wallet_account' ? find('wallet_account', recordId)?.walletId : undefined
}

function addressIn({ address: to }: Struct): readonly string[] {
  return typeof to === 'string' && to !== '' ? [to] : []
}

/** The address, or the script itself if it has none. */
function outputAddress({ address: to, script_pubkey: script }: Struct): Value {
  return typeof to === 'string' && to !== '' ? address(to) : hex(String(script))
}

function sumOf(outputs: readonly Struct[]): Value {
  return amountOf(satoshisIn(outputs), btc)
}

function satoshisIn(outputs: readonly Struct[]): bigint {
  return outputs.reduce((before, { value }) => before + (typeof value === 'bigint' ? value : 0n), 0n)
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
  return itemRows('input', shown)
}
