import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { explaining, memberOf, valuesAt } from '../support/explanations.ts'
import { newAccount, newApiKey, newUser, startOrganization } from '../support/organization.ts'

/** What somebody wrote is shown as a text, whatever it looks like. */

const organization = await startOrganization()
const { done, anotherUser } = organization
const explain = explaining(organization)
const { userId } = await anotherUser('Alice (CFO)')
const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const key = '02'.repeat(33)

test('a name that is the id of somebody else stays a text, and an id keeps its name', async () => {
  const { lines } = await explain('create_users', {
    users: [newUser({ userName: userId }), newUser({ userName: key })],
  })
  expect(lines).toContain(`user name: “${userId}”`)
  expect(lines).toContain(`user name: “${key}”`)
  const tagged = await explain('create_user_tag', { userTagName: userId, userIds: [userId] })
  expect(tagged.lines[0]).toBe(`Create user tag: “${userId}”`)
  expect(tagged.lines.join('\n')).toContain(`“Alice (CFO)” (user ${userId})`)
})

test('the keys in a request are bytes', async () => {
  const apiKey = newApiKey()
  const { lines } = await explain('create_users', { users: [newUser({ apiKeys: [apiKey] })] })
  expect(lines).toContain(`public key: 0x${apiKey.publicKey} (33 bytes)`)
})

test('a text of a call that looks like an address or like bytes stays a text, and an address is one', async () => {
  const abi = parseAbi(['function pay(string note, address to, (string[] notes, address[] to, bytes data)[] more)'])
  await done('create_smart_contract_interface', {
    ...{ smartContractAddress: address, label: 'Notes', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(abi),
  })
  const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
  const text = address.toLowerCase()
  const data = encodeFunctionData({
    abi,
    args: [text, address, [{ notes: [text, '0xabcd'], to: [address], data: '0xabcd' }]],
  })
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, to: address, data })
  const { explanation } = await explain('sign_transaction', {
    ...{ signWith: addresses[0], type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction },
  })
  const [call] = valuesAt(explanation, 'calls', 'call')
  const [note, to, more] = ['note', 'to', 'more'].map((name) => memberOf(memberOf(call, 'arguments'), name))
  expect(note).toEqual({ kind: 'text', text })
  expect(to).toEqual({ kind: 'address', address })
  const [first] = more?.kind === 'list' ? more.items : []
  expect(memberOf(first, 'notes')).toMatchObject({
    items: [
      { kind: 'text', text },
      { kind: 'text', text: '0xabcd' },
    ],
  })
  expect(memberOf(first, 'to')).toMatchObject({ items: [{ kind: 'address', address }] })
  expect(memberOf(first, 'data')).toEqual({ kind: 'hex', hex: '0xabcd', bytes: 2 })
})
