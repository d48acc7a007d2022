import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { exportContent } from '../../contract/explanation/exports.ts'
import { fields, oneOf, optional, TargetPublicKey, Uuid } from '../../contract/fields/fields.ts'
import { wallet } from '../../contract/needs.ts'
import { anyAccount, walletFacts } from '../../contract/record_facts.ts'
import { parseTargetPublicKey } from '../../protocol/bundles/bundles.ts'
import { oneStep } from '../../protocol/tools/steps.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'

const english = 'MNEMONIC_LANGUAGE_ENGLISH'
const languages = [
  english,
  'MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE',
  'MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE',
  'MNEMONIC_LANGUAGE_CZECH',
  'MNEMONIC_LANGUAGE_FRENCH',
  'MNEMONIC_LANGUAGE_ITALIAN',
  'MNEMONIC_LANGUAGE_JAPANESE',
  'MNEMONIC_LANGUAGE_KOREAN',
  'MNEMONIC_LANGUAGE_SPANISH',
] as const

export default defineActivity({
  name: 'export_wallet',
  summary: "Encrypts a wallet's mnemonic to a key of the client.",
  policy: { resource: 'WALLET', action: 'EXPORT' },
  parameters: fields({ walletId: Uuid, targetPublicKey: TargetPublicKey, language: optional(oneOf(languages)) }),
  result: Type.Object({ walletId: Type.String(), exportBundle: Type.String() }),
  check: ({ targetPublicKey, language = english }) => {
    parseTargetPublicKey(targetPublicKey, 'parameters.targetPublicKey')
    if (language === english) return
    // The words of a mnemonic make its seed (BIP-39): in another language it is another wallet with other addresses.
    throw fieldInvalid(
      'parameters.language',
      `${english}: the same entropy in the words of another language is another seed`,
    )
  },
  needs: ({ walletId }) => [wallet(walletId)],
  facts: ({ organization: { wallets }, parameters: { walletId } }) =>
    oneStep(() => ({ keywords: { wallet: walletFacts(wallets.get(walletId)), wallet_account: anyAccount } })),
  explain: ({ parameters: { walletId, targetPublicKey }, now }) => {
    const exporting = {
      code: 'export_wallet',
      exported: now.named(walletId),
      secret: 'mnemonicOfWallet',
      wasExported: now.find('wallet', walletId)?.exported,
      targetPublicKey,
    } as const
    return exportContent(exporting, now)
  },

  run({ organization, parameters, keys }) {
    const exported = organization.wallets.get(parameters.walletId)
    const { walletId } = exported
    const target = parseTargetPublicKey(parameters.targetPublicKey, 'parameters.targetPublicKey')
    using secret = keys.secretOf('wallet', walletId)
    using mnemonic = keys.mnemonicOf(secret)
    const exportBundle = keys.exportBundle(mnemonic, target)
    organization.wallets.put({ ...exported, exported: true })
    return { walletId, exportBundle }
  },
})
