import { p256 } from '@noble/curves/nist.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { address, networks, Psbt, payments, Transaction } from 'bitcoinjs-lib'
import { expect, test } from 'vitest'
import { prepareBitcoinjs } from '../support/bitcoinjs.ts'
import { explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

prepareBitcoinjs()
const organization = await startOrganization()
const { done, found } = organization
const explain = explaining(organization)
const format = 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH'
const accountAt = (index: number) => newAccount({ path: `m/84'/0'/0'/0/${index}`, addressFormat: format })
const { addresses, walletId } = await done('create_wallet', {
  ...{ walletName: 'Treasury', accounts: [accountAt(0), accountAt(1), accountAt(2)] },
})
const [signWith, ownAccount] = addresses.map(String)
const { addresses: ofOther } = await done('create_wallet', { walletName: 'Other', accounts: [accountAt(0)] })
const [otherWallet] = ofOther.map(String)
const { accounts } = await found('list_wallet_accounts', { walletId })
const publicKey = String(accounts.find((account: { address: string }) => account.address === signWith)?.publicKey)
const { output: script } = payments.p2wpkh({ pubkey: hexToBytes(publicKey) })
if (script === undefined) throw new Error('a public key has a script')
const [stranger] = [payments.p2tr({ internalPubkey: hexToBytes(publicKey).subarray(1) }).address]
const strangers = ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa']

type Output = { readonly to: string; readonly value: bigint } | { readonly script: Uint8Array; readonly value: bigint }

function psbtOf(inputs: readonly bigint[], outputs: readonly Output[]): Psbt {
  const psbt = new Psbt()
  inputs.forEach((value, index) => {
    psbt.addInput({
      hash: new Uint8Array(32).fill(7),
      index,
      witnessUtxo: { script: script ?? new Uint8Array(), value },
    })
  })
  for (const output of outputs) {
    psbt.addOutput('to' in output ? { address: output.to, value: output.value } : output)
  }
  return psbt
}

async function explainPsbt(psbt: Psbt) {
  const unsignedTransaction = Buffer.from(psbt.toBuffer()).toString('hex')
  return explain('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_BITCOIN', unsignedTransaction })
}

test('recipients, change and fee are those of the PSBT that bitcoinjs-lib wrote', async () => {
  const psbt = psbtOf(
    [100_000n],
    [
      { to: strangers[0] ?? '', value: 40_000n },
      { to: strangers[1] ?? '', value: 10_000n },
      { to: String(signWith), value: 49_000n },
    ],
  )
  const { explanation, lines } = await explainPsbt(psbt)
  const outputs = valuesAt(explanation, 'transfers', 'output')
  expect(outputs.map((output) => [plain(memberOf(output, 'to')), plain(memberOf(output, 'amount'))])).toEqual(
    psbt.txOutputs.map(({ script: paid, value }) => [address.fromOutputScript(paid, networks.bitcoin), value]),
  )
  expect(outputs.map((output) => plain(memberOf(output, 'backTo')))).toEqual([undefined, undefined, 'ownKey'])
  expect(valuesAt(explanation, 'transaction', 'fee').map(plain)).toEqual([1_000n])
  expect(lines[0]).toBe('Send 0.0005 BTC (50000 satoshi) to 2 recipients')
  const [input] = valuesAt(explanation, 'transfers', 'input')
  expect(plain(memberOf(input, 'from'))).toBe(signWith)
  expect(plain(memberOf(input, 'amount'))).toBe(100_000n)
})

test('a title counts recipients, not outputs, and names the only one', async () => {
  const [one = '', other = ''] = strangers
  const several = Array.from({ length: 9 }, () => ({ to: one, value: 10_000n }))
  const { lines } = await explainPsbt(psbtOf([100_000n], several))
  expect(lines[0]).toBe(`Send 0.0009 BTC (90000 satoshi) to ${one}`)
  const two = await explainPsbt(psbtOf([110_000n], [...several, { to: other, value: 10_000n }]))
  expect(two.lines[0]).toBe('Send 0.001 BTC (100000 satoshi) to 2 recipients')
})

test('an account of the same wallet is its own, and one of another wallet is a recipient with its name', async () => {
  const own = await explainPsbt(psbtOf([100_000n], [{ to: String(ownAccount), value: 99_000n }]))
  expect(own.lines[0]).toBe('Send 0.00099 BTC (99000 satoshi) to own accounts')
  expect(own.lines).toContain('back to: an own account of the same wallet')
  const other = await explainPsbt(psbtOf([100_000n], [{ to: String(otherWallet), value: 99_000n }]))
  expect(other.lines[0]).toBe(`Send 0.00099 BTC (99000 satoshi) to ${otherWallet}`)
  expect(other.lines).toContain(`to: “Other” (${otherWallet})`)
  const self = await explainPsbt(psbtOf([100_000n], [{ to: String(signWith), value: 99_000n }]))
  expect(self.lines[0]).toBe('Send 0.00099 BTC (99000 satoshi) back to the own key')
})

test('an own account whose private key was exported is said in the title', async () => {
  const exportedAccount = String(addresses[2])
  const targetPublicKey = bytesToHex(p256.getPublicKey(p256.utils.randomSecretKey(), false))
  const pay = () => explainPsbt(psbtOf([100_000n], [{ to: exportedAccount, value: 99_000n }]))
  expect((await pay()).lines[0]).toBe('Send 0.00099 BTC (99000 satoshi) to own accounts')
  await done('export_wallet_account', { address: exportedAccount, targetPublicKey })
  const { lines } = await pay()
  expect(lines[0]).toBe(
    `WARNING: the private key of “Treasury” (${exportedAccount}) was exported. Send 0.00099 BTC (99000 satoshi) to own accounts`,
  )
  // Who has the mnemonic has the key that signs as well.
  await done('export_wallet', { walletId, targetPublicKey })
  const whole = await pay()
  expect(whole.lines[0]).toBe('Send 0.00099 BTC (99000 satoshi) to own accounts')
  expect(whole.lines).toContain('was exported before: yes')
})

test('an output to another script of the own key is change, and one without an address shows its script', async () => {
  const data = Uint8Array.of(0x6a, 2, 0xca, 0xfe)
  const { explanation } = await explainPsbt(
    psbtOf(
      [100_000n],
      [
        { to: String(stranger), value: 50_000n },
        { script: data, value: 0n },
      ],
    ),
  )
  const [toOwnKey, toScript] = valuesAt(explanation, 'transfers', 'output')
  expect(plain(memberOf(toOwnKey, 'to'))).toBe(stranger)
  expect(plain(memberOf(toOwnKey, 'backTo'))).toBe('ownKey')
  expect(plain(memberOf(toScript, 'data'))).toBe('0xcafe')
})

const dataOutput = (data: Uint8Array, value = 0n): Output => {
  const { output = new Uint8Array() } = payments.embed({ data: [data] })
  return { script: output, value }
}

test('data in an output is no recipient: a text is shown, and other bytes are counted in the title', async () => {
  const [recipient = ''] = strangers
  const paid = { to: recipient, value: 99_000n }
  const title = `Send 0.00099 BTC (99000 satoshi) to ${recipient}`
  const swap = await explainPsbt(psbtOf([100_000n], [paid, dataOutput(Buffer.from('=:ETH.ETH:0x70997970'))]))
  expect(swap.lines[0]).toBe(`WARNING: data beside the payment may say what becomes of it. ${title}`)
  expect(swap.lines).toContain('data: “=:ETH.ETH:0x70997970”')
  const bytes = await explainPsbt(psbtOf([100_000n], [paid, dataOutput(Uint8Array.of(0, 1, 0xff))]))
  expect(bytes.lines[0]).toBe(`WARNING: 3 bytes that are signed are not read. ${title}`)
  const [, second] = valuesAt(bytes.explanation, 'transfers', 'output')
  expect(plain(memberOf(second, 'data'))).toBe('0x0001ff')
  const alone = await explainPsbt(
    psbtOf([100_000n], [dataOutput(Uint8Array.of(0xff)), { to: signWith, value: 99_000n }]),
  )
  expect(alone.lines[0]).toMatch(
    /^WARNING: 1 bytes that are signed are not read\. Send 0.00099 BTC .* back to the own key$/,
  )
})

test('a script without an address that is not shown to its end is counted in the title', async () => {
  const script = new Uint8Array(300).fill(0x51)
  const { lines } = await explainPsbt(psbtOf([100_000n], [{ script, value: 99_000n }]))
  expect(lines[0]).toMatch(
    /^WARNING: 0.00099 BTC \(99000 satoshi\) goes to the script 0x51.*, which has no address: .*, and 1 more\. Send /,
  )
  expect(lines).toContain('warning: [44 bytes that are signed are not read]')
})

test('an amount for a script without an address is a warning, whatever else gets something', async () => {
  const [recipient = ''] = strangers
  const anyone = { script: Uint8Array.of(0x51), value: 60_000n }
  const { lines } = await explainPsbt(psbtOf([100_000n], [{ to: recipient, value: 39_000n }, anyone]))
  expect(lines[0]).toBe(
    'WARNING: 0.0006 BTC (60000 satoshi) goes to the script 0x51 (1 bytes), which has no address: nobody here knows who may spend it. Send 0.00099 BTC (99000 satoshi) to 2 recipients',
  )
})

test('an output is change by its script alone: fields that derive it from an own key claim nothing', async () => {
  const [recipient = ''] = strangers
  const psbt = psbtOf([100_000n], [{ to: recipient, value: 99_000n }])
  psbt.updateOutput(0, {
    bip32Derivation: [
      { masterFingerprint: Uint8Array.of(1, 2, 3, 4), path: "m/84'/0'/0'/1/0", pubkey: hexToBytes(publicKey) },
    ],
  })
  const { explanation, lines } = await explainPsbt(psbt)
  expect(lines[0]).toBe(`Send 0.00099 BTC (99000 satoshi) to ${recipient}`)
  expect(memberOf(valuesAt(explanation, 'transfers', 'output')[0], 'backTo')).toBeUndefined()
})

test('inputs of others are shown as theirs, and what they bring is no fee of the own key', async () => {
  const [recipient = ''] = strangers
  const psbt = psbtOf([100_000n], [{ to: recipient, value: 299_000n }])
  const theirs = address.toOutputScript(recipient, networks.bitcoin)
  psbt.addInput({ hash: new Uint8Array(32).fill(9), index: 0, witnessUtxo: { script: theirs, value: 200_000n } })
  const { explanation, lines } = await explainPsbt(psbt)
  expect(lines[0]).toMatch(/^WARNING: the fee is not certain.* Send 0.00299 BTC/)
  const inputs = valuesAt(explanation, 'transfers', 'input')
  expect(inputs.map((input) => [plain(memberOf(input, 'from')), plain(memberOf(input, 'signedBy'))])).toEqual([
    [signWith, 'ownKey'],
    [recipient, undefined],
  ])
})

test('only an input that is signed says so, of several that pay to one key', async () => {
  const { addresses: ofKey } = await done('create_wallet', {
    walletName: 'Two kinds',
    accounts: [accountAt(7), { ...accountAt(7), addressFormat: format.replace('P2WPKH', 'P2TR') }],
  })
  const psbt = new Psbt()
  for (const [index, own] of [...ofKey, ofKey[0]].entries()) {
    const witnessUtxo = { script: address.toOutputScript(String(own), networks.bitcoin), value: 100_000n }
    psbt.addInput({ hash: new Uint8Array(32).fill(7), index, witnessUtxo })
  }
  psbt.addOutput({ address: strangers[0] ?? '', value: 299_000n })
  // Of two that the account signs, one has its signature already.
  psbt.updateInput(2, { finalScriptWitness: Uint8Array.of(1, 1, 1) })
  const signedBy = async (key: unknown) => {
    const given = { signWith: key, type: 'TRANSACTION_TYPE_BITCOIN', unsignedTransaction: psbt.toHex() }
    const { explanation, result } = await explain('sign_transaction', given)
    const signed = Psbt.fromHex(String(result.signedTransaction)).data.inputs
    const shown = valuesAt(explanation, 'transfers', 'input').map((input) => plain(memberOf(input, 'signedBy')))
    expect(shown.map((by) => by === 'ownKey')).toEqual(
      signed.map(({ partialSig, tapKeySig }) => partialSig !== undefined || tapKeySig !== undefined),
    )
    return shown
  }
  expect(await signedBy(ofKey[0])).toEqual(['ownKey', undefined, undefined])
  expect(await signedBy(ofKey[1])).toEqual([undefined, 'ownKey', undefined])
})

test('what an output with data destroys stands in the title', async () => {
  const { lines } = await explainPsbt(psbtOf([100_000n], [dataOutput(Uint8Array.of(0xff), 99_000n)]))
  expect(lines[0]).toMatch(/^WARNING: 0.00099 BTC \(99000 satoshi\) in .* are destroyed/)
})

test('a fee of several inputs whose amounts nothing proves is not certain', async () => {
  const { explanation, lines } = await explainPsbt(
    psbtOf([60_000n, 40_000n], [{ to: strangers[0] ?? '', value: 99_000n }]),
  )
  expect(valuesAt(explanation, 'transaction', 'fee')).toEqual([{ kind: 'note', code: 'feeUncertain' }])
  expect(lines.filter((line) => line === 'stated: stated by the request and not proved')).toHaveLength(2)
})

test('a claim that another input is of Taproot makes no fee certain', async () => {
  const psbt = psbtOf([100_000n], [{ to: String(signWith), value: 99_000n }])
  const taproot = address.toOutputScript(String(stranger), networks.bitcoin)
  psbt.addInput({ hash: new Uint8Array(32).fill(8), index: 0, witnessUtxo: { script: taproot, value: 0n } })
  const { addresses: ofKey } = await done('create_wallet_accounts', {
    walletId,
    accounts: [{ ...accountAt(0), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' }],
  })
  const { explanation, lines } = await explain('sign_transaction', {
    signWith: String(ofKey[0]),
    type: 'TRANSACTION_TYPE_BITCOIN',
    unsignedTransaction: psbt.toHex(),
  })
  expect(valuesAt(explanation, 'transaction', 'fee')).toEqual([{ kind: 'note', code: 'feeUncertain' }])
  expect(lines[0]).toMatch(/^WARNING: the fee is not certain/)
})

test.each(['TESTNET', 'SIGNET', 'REGTEST'])(
  'an address of %s signs no promise that coins are for tests',
  async (network) => {
    const { addresses: ofTests } = await done('create_wallet_accounts', {
      walletId,
      accounts: [{ ...accountAt(0), addressFormat: `ADDRESS_FORMAT_BITCOIN_${network}_P2WPKH` }],
    })
    const psbt = psbtOf([100_000n], [{ to: strangers[0] ?? '', value: 99_000n }])
    const { explanation, lines, result } = await explain('sign_transaction', {
      signWith: String(ofTests[0]),
      type: 'TRANSACTION_TYPE_BITCOIN',
      unsignedTransaction: psbt.toHex(),
    })
    expect(Psbt.fromHex(String(result.signedTransaction)).finalizeAllInputs().extractTransaction().outs).toHaveLength(1)
    expect(warningsOf(explanation)).toEqual(['alsoOnMainNetwork'])
    expect(lines[0]).toBe(
      `WARNING: an address of a test network signs, but the signature holds on the main network too. Send 0.00099 BTC (99000 satoshi) to ${strangers[0]}`,
    )
    expect(valuesAt(explanation, 'transaction', 'network')).toEqual([{ kind: 'note', code: 'notInContent' }])
    expect(plain(memberOf(valuesAt(explanation, 'transfers', 'input')[0], 'from'))).toBe(signWith)
  },
)

test('bytes of an input are shown by main-network addresses, and an address for tests has its warning there too', async () => {
  const { addresses: ofTests } = await done('create_wallet', {
    ...{ walletName: 'Tests', accounts: [{ ...accountAt(0), addressFormat: format.replace('MAINNET', 'TESTNET') }] },
  })
  const transaction = new Transaction()
  transaction.addInput(new Uint8Array(32).fill(7), 0, 0xffffffff, script)
  transaction.addOutput(address.toOutputScript(strangers[0] ?? '', networks.bitcoin), 99_000n)
  const { explanation, lines } = await explain('sign_raw_payload', {
    ...{ signWith: String(ofTests[0]), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' },
    payload: `${transaction.toHex()}01000000`,
  })
  expect(warningsOf(explanation)).toContain('alsoOnMainNetwork')
  expect(lines[0]).toContain(`${strangers[0]} gets 0.00099 BTC`)
  expect(lines[0]).toContain('holds on the main network too')
})
