import { base58 } from '@scure/base'
import { getAddress, hexToBytes, keccak256, slice, toHex } from 'viem'
import { segwit } from '../src/protocol/chains/address_formats.ts'

/** A policy as `create_policies` takes it, without its notes. */
export type NewPolicy = {
  readonly policyName: string
  readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY'
  readonly consensus?: string
  readonly condition?: string
  readonly time?: string
}

/** The ids that the policies name. */
export type Named = {
  readonly traderId: string
  readonly treasurerId: string
  readonly tradersTagId: string
  readonly treasuryTagId: string
  readonly walletId: string
}

/** The token whose ABI the organization has uploaded. */
export const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const router = '0xe592427a0aece92de3edee1f18e0157c05861564'

/** Twenty addresses with the capitals of their checksums (EIP-55), as people write them. */
const addresses = (name: string) =>
  Array.from({ length: 20 }, (_, index) => getAddress(slice(keccak256(toHex(`${name} ${index}`)), 12)))
export const payees = addresses('payee')
const blocked = addresses('blocked')
/** Twenty payees on other chains. Each has an address of Solana and one of Bitcoin, made from its hash. */
const hashes = Array.from({ length: 20 }, (_, index) => hexToBytes(keccak256(toHex(`payee ${index}`))))
const solanaPayees = hashes.map((hash) => base58.encode(hash))
const bitcoinPayees = hashes.map((hash) => segwit({ prefix: 'bc', version: 0, program: hash.subarray(12) }))

/**
 * Twenty policies of an organization that trades: who may send what to whom and when, who manages users and wallets,
 * and what nobody may do. One policy lets the trader sign raw payloads, and one lets it sign transfers of the token.
 */
export function typicalPolicies({ traderId, treasurerId, tradersTagId, treasuryTagId, walletId }: Named): NewPolicy[] {
  const listed = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`
  const trader = `approvers.any(user, user.id == '${traderId}')`
  const aTrader = `approvers.any(user, user.tags.contains('${tradersTagId}'))`
  const treasurers = (count: number) =>
    `approvers.filter(user, user.tags.contains('${treasuryTagId}')).count() >= ${count}`
  const byPasskey = "credentials.any(used, used.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')"
  const [businessHours, nights] = [
    "CronSpan('0 8 * * *', '10h', 'Europe/Berlin')",
    "CronSpan('0 22 * * 1-5', '8h', 'America/New_York')",
  ]
  const ofWallet = `wallet.id == '${walletId}'`
  const amount = "eth.tx.contract_call_args['amount']"
  const transfer = `eth.tx.to == '${token}' && eth.tx.function_name == 'transfer'`

  const allowed: readonly Omit<NewPolicy, 'policyName' | 'effect'>[] = [
    { consensus: trader, condition: `activity.kind == 'SIGN_RAW_PAYLOAD' && ${ofWallet}` },
    {
      consensus: aTrader,
      condition: `${transfer} && eth.tx.contract_call_args['recipient'] in ${listed(payees)} && ${amount} <= 250000000`,
    },
    { consensus: treasurers(2), condition: `${transfer} && ${amount} > 250000000 && eth.tx.chain_id == 1` },
    {
      consensus: aTrader,
      condition: `eth.tx.to in ${listed(payees)} && eth.tx.data == '0x' && eth.tx.value <= 1000000000000000000`,
      time: businessHours,
    },
    {
      consensus: aTrader,
      condition: `eth.tx.to == '${token}' && eth.tx.function_name == 'approve' && eth.tx.contract_call_args['spender'] == '${router}'`,
    },
    {
      consensus: aTrader,
      condition: `eth.tx.to == '${router}' && eth.tx.data[0..10] == '0x414bf389' && eth.tx.gas <= 500000`,
    },
    {
      consensus: aTrader,
      condition: `solana.tx.transfers.all(transfer, transfer.to in ${listed(solanaPayees)}) && solana.tx.transfers.count() == 1`,
    },
    {
      consensus: treasurers(1),
      condition: `bitcoin.tx.outputs.all(output, output.address in ${listed(bitcoinPayees)}) && bitcoin.tx.outputs.count() <= 2`,
    },
    { consensus: aTrader, condition: "eth.eip_712.domain.name == 'Permit2' && eth.eip_712.domain.chain_id == 1" },
    { consensus: treasurers(1), condition: "activity.resource == 'WALLET' && activity.action == 'CREATE'" },
    {
      consensus: `${treasurers(2)} && ${byPasskey}`,
      condition: "activity.resource == 'USER' && activity.action in ['CREATE', 'UPDATE', 'DELETE']",
    },
    {
      consensus: treasurers(1),
      condition: `activity.kind == 'CREATE_API_KEYS' && activity.params.user_id == '${traderId}'`,
    },
    {
      consensus: `approvers.any(user, user.id == '${treasurerId}') && ${byPasskey}`,
      condition: "activity.action == 'EXPORT'",
    },
    {
      consensus: `approvers.any(user, user.email == 'auditor@example.com')`,
      condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value == 0",
      time: "time.now >= Timestamp('2026-01-01T00:00:00Z') && time.now < Timestamp('2026-02-01T00:00:00Z')",
    },
  ]
  const denied: readonly Omit<NewPolicy, 'policyName' | 'effect'>[] = [
    { condition: `eth.tx.to in ${listed(blocked)}` },
    { condition: `eth.tx.function_name == 'transfer' && eth.tx.contract_call_args['recipient'] in ${listed(blocked)}` },
    { condition: '!(eth.tx.chain_id in [1, 10, 137, 8453, 42161])' },
    { condition: 'eth.tx.gas_price > 500000000000 || eth.tx.gas > 5000000' },
    { condition: "activity.action == 'EXPORT' && wallet.label == 'Cold'" },
    { condition: `activity.action == 'SIGN' && wallet.id != '${walletId}'`, time: nights },
  ]
  return [
    ...allowed.map((expressions, index) => ({
      ...expressions,
      policyName: `allow ${index}`,
      effect: 'EFFECT_ALLOW' as const,
    })),
    ...denied.map((expressions, index) => ({
      ...expressions,
      policyName: `deny ${index}`,
      effect: 'EFFECT_DENY' as const,
    })),
  ]
}
