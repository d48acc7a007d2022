import { parseEther, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAccount,
  newUser,
  type Parameters,
  startOrganization,
} from '../../../test/support/organization.ts'
import { plainLines } from '../explanation/plain_lines.ts'

const { submit, done, found, query, rootUserId } = await startOrganization()
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

async function linesOf(name: string, parameters: Parameters): Promise<readonly string[]> {
  const { status, body } = await submit(name, parameters)
  expect(status, JSON.stringify(body)).toBe(200)
  const { explanation } = await found('explain_activity', { activityId: body.activity.id })
  return plainLines(explanation).map((line) => line.trim().replaceAll('\u00a0', ''))
}

function paymentOf(fields: object): Parameters {
  const unsignedTransaction = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, to },
    ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, value: parseEther('1.5') },
    ...fields,
  })
  return { signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction }
}

test('a payment that a client made is explained with its chain, recipient, amount, fee and nonce', async () => {
  const lines = await linesOf('sign_transaction', paymentOf({}))
  expect(lines[0]).toBe(`Send 1.5 ETH (1500000000000000000 wei) to ${to}`)
  expect(lines).toContain('chain: Ethereum (eip155:1)')
  expect(lines).toContain(`from: “Treasury” (${signWith})`)
  expect(lines).toContain('fee at most: 0.000042 ETH (42000000000000 wei)')
  expect(lines).toContain('nonce: 7')
  expect(lines.join('\n')).toContain(`user ${rootUserId}`)
})

test('a call that no interface names shows its selector', async () => {
  const lines = await linesOf('sign_transaction', paymentOf({ value: 0n, data: `0x12345678${'00'.repeat(32)}` }))
  expect(lines).toContain('not known: [Unknown call, selector: “0x12345678”]')
  expect(lines).toContain(`data: 0x12345678${'00'.repeat(32)} (36 bytes)`)
})

test('the coin of an unknown chain has no unit', async () => {
  const lines = await linesOf('sign_transaction', paymentOf({ chainId: 987_654_321, value: 5n }))
  expect(lines[0]).toBe(`Send 5 wei to ${to}`)
  expect(lines).toContain('chain: (eip155:987654321)')
})

test('an activity without an explanation of its own shows every parameter, and names beside ids', async () => {
  const [userId] = (await done('create_users', { users: [newUser({ userName: 'Grace' })] })).userIds
  const lines = await linesOf('create_user_tag', { userTagName: 'Approvers', userIds: [userId] })
  expect(lines[0]).toBe('Create user tag: “Approvers”')
  expect(lines).toContain(`user ids: “Grace” (user ${userId})`)
})

test('an activity that does not exist is not found', async () => {
  expectRefused(await query('explain_activity', { activityId: absentId }), 404)
})
