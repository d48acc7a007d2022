import { erc20Abi, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { askVault } from '../support/ask_vault.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

const { server, organizationId, rootKey, clock, done, anotherUser } = await startOrganization()
const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
await done('create_smart_contract_interface', {
  smartContractAddress: token,
  smartContractInterface: JSON.stringify(erc20Abi),
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  label: 'Token',
})
const another = await anotherUser()
await done('create_policy', {
  policyName: 'anything',
  effect: 'EFFECT_ALLOW',
  condition: `eth.tx.to == '${token.toLowerCase()}'`,
  notes: '',
})

/** The kinds of the records that a signature of a call to the contract reads. */
async function kindsReadBy(stampedBy: typeof rootKey): Promise<readonly string[]> {
  clock.nowMs += 1
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, to: token }).slice(2)
  const body = JSON.stringify({
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters: { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
  })
  const { answer, reads } = await askVault(server, { path: '/public/v1/submit/sign_transaction', body }, { stampedBy })
  expect(answer.kind).toBe('commit')
  return reads.flatMap((read) => (read.read === 'record' ? [read.kind] : []))
}

test('a signature about which no rule is asked reads no interfaces, which may be megabytes', async () => {
  expect(await kindsReadBy(rootKey)).not.toContain('smart_contract_interface')
  expect(await kindsReadBy(another.apiKey)).toContain('smart_contract_interface')
})
