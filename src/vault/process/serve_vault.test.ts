import { duplexPair } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { start } from '../../../test/support/start.ts'
import { openChannel } from '../../link/channel/channel.ts'
import { createPipeOpener } from '../../link/channel/pipes.ts'
import { serveVault } from './serve_vault.ts'

/** Starts a real vault. `call` uses its channel as an attacker does who has taken over the service. */
async function stolenChannel() {
  const { vault, createOrganization } = await start()
  const [service, end] = duplexPair()
  const log = { info() {}, warn() {}, error() {} }
  void serveVault(end, vault, { log, pipes: createPipeOpener().end })
  const channel = openChannel(service)
  onTestFinished(() => channel.close())
  return { vault, createOrganization, call: (verb: string) => channel.call(verb, {}, { deadlineMs: 20_000 }) }
}

const absentId = '01234567-89ab-7cde-8f01-23456789abcd'
const verbs = [
  'unseal',
  'answer',
  'confirm',
  'condition',
  'createOrganization',
  'openMessage',
  'publishLog',
  'scrub',
  'publishedKeys',
]
/** The last two are for the process that keeps the books of several vaults. */
const withinTheVault = ['operator', 'close', 'takeOutcomes', 'dropHeld']

test('the channel to the service has the verbs of the vault, and no others', async () => {
  const { vault, call } = await stolenChannel()
  expect(Object.keys(vault).toSorted()).toEqual([...verbs, ...withinTheVault].toSorted())
  for (const verb of verbs) {
    const refused = await call(verb).then(
      () => '',
      (error: Error) => error.message,
    )
    expect(refused, verb).not.toContain('there is no verb')
  }
  for (const verb of [...withinTheVault, 'outcomes', 'constructor', '__proto__', '']) {
    await expect(call(verb), verb).rejects.toThrow('there is no verb')
  }
})

test('a stolen service cannot make the vault forget: no verb of the operator is on its channel', async () => {
  const { vault, call, createOrganization } = await stolenChannel()
  const { organizationId } = await createOrganization()
  const organizationIds = [organizationId]
  const booked = await vault.operator.bookedHeadsOf({ organizationIds })
  expect(booked).toMatchObject([{ organizationId, version: 1 }])
  for (const verb of [...Object.keys(vault.operator), 'forgetHeads']) {
    await expect(call(verb), verb).rejects.toThrow('there is no verb')
    await expect(call(`operator.${verb}`), verb).rejects.toThrow('there is no verb')
  }
  expect(await vault.operator.bookedHeadsOf({ organizationIds })).toEqual(booked)
})

test('a call that fails is in the log with the ids of its request, and with nothing else of it', async () => {
  const { vault } = await start()
  const [service, end] = duplexPair()
  const logged: object[] = []
  const log = { info() {}, warn() {}, error: (fields: object) => logged.push(fields) }
  void serveVault(end, vault, { log })
  const channel = openChannel(service)
  onTestFinished(() => channel.close())
  const ids = { requestId: absentId, organizationId: absentId }
  const ask = (argument: object) => channel.call('answer', argument, { deadlineMs: 20_000 }).catch(() => undefined)
  await ask({ ...ids, body: 'secret' })
  await ask({ requestId: 'secret', organizationId: ['secret'] })
  expect(logged).toEqual([
    { verb: 'answer', ...ids, error: expect.any(Error) },
    { verb: 'answer', error: expect.any(Error) },
  ])
})
