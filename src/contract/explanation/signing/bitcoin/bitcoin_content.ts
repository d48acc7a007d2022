import { type Struct, structsIn } from '../../../../policy/language/expression_values.ts'
import { scriptsOwnedBy } from '../../../../policy/transactions/bitcoin/bitcoin_scripts.ts'
import { type Psbt, readPsbt } from '../../../../policy/transactions/bitcoin/psbt.ts'
import { signedInputs } from '../../../../policy/transactions/bitcoin/psbt_signing.ts'
import { bitcoinKinds } from '../../../../policy/transactions/transaction_kinds.ts'
import type { Steps } from '../../../../protocol/tools/steps.ts'
import type { WalletAccount } from '../../../records/records.ts'
import { accountValue } from '../../account_value.ts'
import type { Content, TransactionContent } from '../../content.ts'
import type { Now } from '../../explain_context.ts'
import type { Note, Row, Title, Value } from '../../explanation.ts'
import { address, code, hex, itemRows, listed, note, noteOf, number, row, section, tree } from '../../shown_values.ts'
import { warned } from '../../warnings.ts'
import { amountOf, btc } from '../shared/coins.ts'
import { decodedValue } from '../shared/decoded_values.ts'
import { feeWarnings } from '../shared/fee_warnings.ts'
import { dataIn, dataNotes, dataValue } from './bitcoin_data.ts'
import { networkNotes } from './bitcoin_networks.ts'
import { scriptValue } from './script_value.ts'

/**
 * Explains a PSBT: amounts, addresses and the fee of its outputs from what conditions see, and the outputs that its
 * inputs spend as the PSBT states them.
 */
export function* bitcoinContent({ tx, bytes, signer, now }: TransactionContent): Steps<Content> {
  const psbt = yield* readPsbt(bytes)
  const outputs = structsIn(tx.outputs)
  const own = scriptsOwnedBy(signer.publicKey)
  const isOwn = ({ script_pubkey: script }: Struct) => own.has(String(script))
  const accounts = now.accountsAt(outputs.filter((output) => !isOwn(output)).flatMap(addressIn))
  const ownAccount = signer.kind === 'wallet_account' ? now.find('wallet_account', signer.recordId) : undefined
  const accountOf = (output: Struct) => addressIn(output).flatMap((one) => accounts.get(one) ?? [])[0]
  const isOfWallet = (output: Struct) => ownAccount !== undefined && accountOf(output)?.walletId === ownAccount.walletId
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
  const ofWallet = outputs.filter(isOfWallet)
  const sent = outputs.filter((output) => !isOwn(output) && !isOfWallet(output))
  return {
    title: warned(titleOf({ outputs, sent, ofWallet }), [
      ...feeNotes(psbt, { tx, outputs, sent }),
      ...exportNotes(
        ofWallet.flatMap((output) => accountOf(output) ?? []),
        { ownAccount, now },
      ),
      ...scriptNotes(sent),
      ...dataNotes(outputs),
      ...networkNotes(signer),
    ]),
    sections: [
      ...section('transaction', [
        row('chain', { kind: 'chain', name: 'Bitcoin' }),
        row('network', note('notInContent')),
        row('fee', typeof tx.fee === 'bigint' ? amountOf(tx.fee, btc) : note('feeUncertain')),
        row('lockTime', decodedValue(tx.locktime)),
      ]),
      ...section('transfers', [...inputRows(psbt, signer), ...itemRows('output', listed(outputs, shownOutput, sumOf))]),
    ],
  }
}

type Payment = {
  readonly outputs: readonly Struct[]
  /** The outputs that go to others. */
  readonly sent: readonly Struct[]
  /** The outputs to other accounts of the signer's wallet. */
  readonly ofWallet: readonly Struct[]
}

/** The fee is what the inputs have more than the outputs, as the PSBT states it. */
function feeNotes(
  { spent }: Psbt,
  { tx, outputs, sent }: Pick<Payment, 'outputs' | 'sent'> & { readonly tx: Struct },
): readonly Note[] {
  const fee = satoshisOf(spent) - satoshisIn(outputs)
  return [
    ...feeWarnings({
      ...{ fee, sent: satoshisIn(sent), bounds: btc.fees, shown: amountOf(fee, btc) },
      returned: satoshisIn(outputs),
    }),
    ...(typeof tx.fee === 'bigint' ? [] : [note('feeUncertain')]),
  ]
}

/** Data that nothing is sent to. */
function isDataAlone(output: Struct): boolean {
  return output.value === 0n && dataIn(output) !== undefined
}

/** Only the script itself says who may spend from it, if it has no address. */
function scriptNotes(sent: readonly Struct[]): readonly Note[] {
  return sent
    .filter((output) => output.value !== 0n && addressIn(output).length === 0 && dataIn(output) === undefined)
    .map((output) => noteOf('goesToScript', sumOf([output]), outputAddress(output)))
}

/** Names the payments to others. Several outputs may go to one. Without payments, the title says what stays. */
function titleOf({ outputs, sent, ofWallet }: Payment): Title {
  const others = sent.filter((output) => !isDataAlone(output))
  const [first] = others
  const count = new Set(others.map(({ script_pubkey: script }) => script)).size
  if (first !== undefined && count === 1) return { code: 'send', values: [sumOf(others), outputAddress(first)] }
  if (first !== undefined) return { code: 'sendToMany', values: [sumOf(others), number(count)] }
  return ofWallet.length === 0
    ? { code: 'sendToSelf', values: [sumOf(outputs)] }
    : { code: 'sendToOwn', values: [sumOf(ofWallet)] }
}

/** Others may have the private key of an account that was exported, or of one of an exported wallet. */
function isExported({ exported, walletId }: WalletAccount, { find }: Pick<Now, 'find'>): boolean {
  return exported === true || find('wallet', walletId)?.exported === true
}

/** Coins are no worse off in an exported account if others may have the key that signs, too. */
function exportNotes(
  accounts: readonly WalletAccount[],
  { ownAccount, now }: { readonly ownAccount: WalletAccount | undefined } & Pick<TransactionContent, 'now'>,
): readonly Note[] {
  if (ownAccount === undefined || isExported(ownAccount, now)) return []
  return accounts.filter((one) => isExported(one, now)).map((one) => noteOf('ownIsExported', accountValue(one, now)))
}

function addressIn({ address: to }: Struct): readonly string[] {
  return typeof to === 'string' && to !== '' ? [to] : []
}

/** The address, or the script itself if it has none. */
function outputAddress(output: Struct): Value {
  const [to] = addressIn(output)
  return to === undefined ? hex(String(output.script_pubkey)) : address(to)
}

function sumOf(outputs: readonly Struct[]): Value {
  return amountOf(satoshisIn(outputs), btc)
}

function satoshisOf(spent: readonly { readonly amount: bigint }[]): bigint {
  return spent.reduce((sum, { amount }) => sum + amount, 0n)
}

function satoshisIn(outputs: readonly Struct[]): bigint {
  return outputs.reduce((before, { value }) => before + (typeof value === 'bigint' ? value : 0n), 0n)
}

function inputRows(psbt: Psbt, signer: TransactionContent['signer']): readonly Row[] {
  const { spent, transaction } = psbt
  const signed = signedInputs(psbt, { publicKey: signer.publicKey, kinds: bitcoinKinds(signer) })
  const signedPlaces = new Set(signed.map(({ index }) => index))
  const inputs = spent.map((output, index) => ({
    ...output,
    source: transaction.inputs[index],
    isSigned: signedPlaces.has(index),
  }))
  const shown = listed(
    inputs,
    ({ script, amount, isVerified, isSigned, source }) =>
      tree({
        from: scriptValue(script),
        amount: amountOf(amount, btc),
        ...(isVerified ? {} : { stated: code('byRequestOnly') }),
        ...(isSigned ? { signedBy: code('ownKey') } : {}),
        spends: source === undefined ? undefined : hex(source.txid),
        output: source === undefined ? undefined : number(source.index),
      }),
    (leftOut) => amountOf(satoshisOf(leftOut), btc),
  )
  return itemRows('input', shown)
}
