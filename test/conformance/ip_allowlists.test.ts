import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects, httpClient, newUserOf, serverClient } from '../support/clients.ts'
import { type ReverseProxy, startReverseProxy } from '../support/reverse_proxy.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

/** Clients in an office and elsewhere: a proxy that the server trusts says from where they come. */

const [office, elsewhere] = ['203.0.113.7', '192.0.2.7']

let server: RunningServer
const proxies: ReverseProxy[] = []
beforeAll(async () => {
  server = await startRunningServer({ flags: ['--trusted-proxies', '127.0.0.1/32'] })
  for (const address of [office, elsewhere]) proxies.push(await startReverseProxy(server.url, address))
})
afterAll(async () => {
  await server.stop()
  for (const proxy of proxies) await proxy.close()
})

/** The server as clients there reach it. */
function serverFrom(address: typeof office | typeof elsewhere): RunningServer {
  return { ...server, url: proxies[address === office ? 0 : 1]?.url ?? '' }
}

const rules = [{ cidr: '203.0.113.0/24', label: 'office' }]
const blocked = {
  name: 'TurnkeyRequestError',
  code: 7,
  message: expect.stringContaining(`request not authorized: ${elsewhere} is not in the IP allowlist`),
}

describe.each(dialects)('@turnkey/sdk-server against the dialect %s', (dialect) => {
  let inOffice: TurnkeyApiClient
  let outside: TurnkeyApiClient
  beforeAll(() => {
    inOffice = serverClient(serverFrom(office), dialect)
    outside = serverClient(serverFrom(elsewhere), dialect)
  })

  test("remove_ip_allowlist: clients that the organization's list shut out are let in, whatever they ask", async () => {
    const { organizationId } = server.credentials
    await inOffice.setIpAllowlist({ rules })
    await expect(outside.getWhoami()).rejects.toMatchObject(blocked)
    await expect(httpClient(serverFrom(elsewhere), dialect).getWhoami({ organizationId })).rejects.toMatchObject({
      code: 7,
    })
    await expect(outside.createWallet({ walletName: `${dialect} refused`, accounts: [] })).rejects.toMatchObject(
      blocked,
    )
    // Nobody removes it from where nobody may ask for anything.
    await expect(outside.removeIpAllowlist({})).rejects.toMatchObject(blocked)
    expect((await inOffice.getIpAllowlist({})).allowlist).toMatchObject({ enabled: true, rules })

    const { activity } = await inOffice.removeIpAllowlist({})
    expect(activity).toMatchObject({
      status: 'ACTIVITY_STATUS_COMPLETED',
      intent: { removeIpAllowlistIntent: {} },
      result: { removeIpAllowlistResult: {} },
    })
    expect(await outside.getWhoami()).toMatchObject({ organizationId })
    expect(await httpClient(serverFrom(elsewhere), dialect).getWhoami({ organizationId })).toMatchObject({
      organizationId,
    })
    const { walletId } = await outside.createWallet({ walletName: `${dialect} made outside`, accounts: [] })
    expect((await inOffice.getWallet({ walletId })).wallet).toMatchObject({ walletName: `${dialect} made outside` })
    // A list that is set anew begins without the rules of the removed one.
    await inOffice.setIpAllowlist({ enabled: false })
    expect((await inOffice.getIpAllowlist({})).allowlist.rules).toEqual([])
    await inOffice.removeIpAllowlist({})
    await expect(inOffice.removeIpAllowlist({})).rejects.toMatchObject({ code: 5 })
  })

  test("remove_ip_allowlist of an API key: that key is governed by the organization's list again", async () => {
    const { credentials } = await newUserOf(inOffice, `${dialect} Grace`)
    const publicKey = credentials.apiPublicKey
    const keyInOffice = serverClient(serverFrom(office), dialect, credentials)
    const keyOutside = serverClient(serverFrom(elsewhere), dialect, credentials)
    await inOffice.setIpAllowlist({ rules })
    await inOffice.setIpAllowlist({ publicKey, rules: [{ cidr: '192.0.2.0/24' }] })
    expect(await keyOutside.getWhoami()).toMatchObject({ username: `${dialect} Grace` })
    await expect(keyInOffice.getWhoami()).rejects.toMatchObject({ code: 7, message: expect.stringContaining(office) })

    await inOffice.removeIpAllowlist({ publicKey })
    await expect(keyOutside.getWhoami()).rejects.toMatchObject(blocked)
    expect(await keyInOffice.getWhoami()).toMatchObject({ username: `${dialect} Grace` })
    await expect(inOffice.removeIpAllowlist({ publicKey })).rejects.toMatchObject({ code: 5 })

    await inOffice.removeIpAllowlist({})
    expect(await keyOutside.getWhoami()).toMatchObject({ username: `${dialect} Grace` })
  })
})
