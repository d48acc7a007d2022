import { createECDH } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import {
  addPasskeyToAccount,
  type ConsolePage,
  desktop,
  logInByFile,
  openConsole,
  setView,
} from '../support/console.ts'
import { axeFindings, loadAxe } from '../support/console_pages.ts'
import { firstLoad, firstLoadBytesMax } from '../support/console_sizes.ts'
import { organizationOver } from '../support/http_organization.ts'
import { newAuthenticator } from '../support/organization.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

/** What the browser keeps for the console: the kinds of keys in IndexedDB. */
const keptKeys = (page: ConsolePage) =>
  page.evaluate<{ extractable: boolean; kind: string }[]>(`() => new Promise((resolve, reject) => {
    const request = indexedDB.open('claviger', 1)
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const all = request.result.transaction('session').objectStore('session').getAll()
      all.onsuccess = () => {
        request.result.close()
        resolve(all.result.map(({ kind, key }) => ({ kind, extractable: key.extractable })))
      }
    }
  })`)

test('a first load stays within its budget', () => {
  expect(firstLoad().bytes).toBeLessThanOrEqual(firstLoadBytesMax)
})

test('logs in with credentials.json, makes a wallet, and leaves no key after the log-out', async (context) => {
  const page = await openConsole(context, server)
  await page.shows('Log in')
  await page.picture('login')
  await logInByFile(page, server)
  expect(await keptKeys(page)).toEqual([{ kind: 'apiKey', extractable: false }])
  await page.go('/wallets')
  await page.click('New wallet')
  await page.fill('Name of the wallet', 'Treasury')
  await page.picture('new_wallet')
  await page.click('Create')
  await page.shows('Done.')
  await page.picture('wallets')
  await page.click('Treasury')
  await page.shows('Ethereum')
  const { accounts } = await serverClient(server).getWalletAccounts({})
  await page.shows(accounts[0]?.address ?? 'an address')
  await page.picture('wallet')
  await page.click('Log out')
  await page.shows('You are logged out.')
  expect(await keptKeys(page)).toEqual([])
})

test('a passkey that was added opens a session, and a log-out ends it here and at the server', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await addPasskeyToAccount(page)
  await page.picture('account')
  await page.click('Log out')
  await page.shows('You are logged out.')

  // A browser that knows no organization finds it by the passkey.
  await page.click('Forget the organizations used in this browser')
  await page.click('Continue with passkey')
  await page.shows('Latest activities')
  expect(await keptKeys(page)).toEqual([{ kind: 'login', extractable: false }])
  const sessions = async () => {
    const { userId } = server.credentials
    const { apiKeys } = await serverClient(server).getApiKeys({ userId })
    return apiKeys.filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN')
  }
  expect(await sessions()).toHaveLength(1)
  await page.click('Log out')
  await page.shows('You are logged out.')
  expect(await keptKeys(page)).toEqual([])
  expect(await sessions()).toEqual([])
})

test('a passkey of another address is not asked for, and one that was made here is', async (context) => {
  const { userId } = server.credentials
  const authenticators = [newAuthenticator({ authenticatorName: 'Elsewhere' })]
  await organizationOver(server).done('create_authenticators', { userId, authenticators })
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  // A busy machine keeps the session slowly.
  await page.evaluate(`() => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = function (value, key) {
      const end = Date.now() + 1000
      const hold = () => { if (Date.now() < end) this.get(key).onsuccess = hold }
      hold()
      return put.call(this, value, key)
    }
  }`)
  await addPasskeyToAccount(page)
  await page.click('Change name')
  await page.fill('Name', 'Ada')
  await page.click('Save')
  await page.shows('Ada')
  const lastScheme = async (type: 'CREATE_AUTHENTICATORS_V2' | 'UPDATE_USER_NAME') => {
    const { activities } = await serverClient(server).getActivities({ filterByType: [`ACTIVITY_TYPE_${type}`] })
    return activities[0]?.votes[0]?.scheme
  }
  expect(await lastScheme('CREATE_AUTHENTICATORS_V2')).toContain('API_P256')
  expect(await lastScheme('UPDATE_USER_NAME')).toContain('WEBAUTHN')
})

test('a refusal of an older key ends no session that another tab has begun', async (context) => {
  const { userId, credentials } = await newUserOf(serverClient(server), 'Grace')
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.evaluate(`() => {
    const given = globalThis.fetch
    globalThis.fetch = async (url, options) => {
      if (globalThis.goOn !== undefined || !String(url).endsWith('/list_wallets')) return given(url, options)
      await new Promise((resolve) => { globalThis.goOn = resolve })
      return new Response('{"code":16,"message":"no such key","details":[]}', { status: 401 })
    }
  }`)
  await page.go('/wallets')
  // Another tab keeps a session of Grace. This one, which was asleep, has not heard of it.
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(credentials.apiPrivateKey, 'hex')
  const point = ecdh.getPublicKey()
  const [d, x, y] = [ecdh.getPrivateKey(), point.subarray(1, 33), point.subarray(33)].map((one) =>
    one.toString('base64url'),
  )
  await page.evaluate(
    `async (jwk, session) => {
      while (globalThis.goOn === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
      const key = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
      await new Promise((resolve) => {
        const request = indexedDB.open('claviger', 1)
        request.onsuccess = () => {
          const transaction = request.result.transaction('session', 'readwrite')
          transaction.objectStore('session').put({ ...session, key }, 'current')
          transaction.oncomplete = resolve
        }
      })
      globalThis.goOn()
    }`,
    { kty: 'EC', crv: 'P-256', d, x, y },
    {
      ...{
        kind: 'apiKey',
        publicKey: credentials.apiPublicKey,
        organizationName: 'My organization',
        userName: 'Grace',
      },
      ...{ organizationId: server.credentials.organizationId, userId },
    },
  )
  await page.shows('Grace')
})

test('an activity that waits is approved in the inbox, by a passkey', async (context) => {
  const own = await organizationOnSharedServer()
  const page = await openConsole(context, own)
  await logInByFile(page, own)
  await page.go('/inbox')
  await page.shows('Nothing waits')
  await addPasskeyToAccount(page)

  // From here on two must agree. The name of the second has a Cyrillic letter, which looks like a Latin one.
  const client = serverClient(own)
  const { userId, credentials } = await newUserOf(client, 'P\u0430ul')
  await client.updateRootQuorum({ threshold: 2, userIds: [own.credentials.userId, userId] })
  const second = serverClient(own, 'spec', credentials)
  await second.createWallet({ walletName: 'By two', accounts: [] })
  await page.go('/users')
  await page.shows('P\u0430ul')
  expect(await page.evaluate(`() => document.querySelector('mark.lookalike').textContent`)).toBe('\u0430')
  await page.picture('users')
  await page.go('/inbox')
  await page.shows('By two')
  await page.picture('inbox')
  await page.click('Approve')
  await page.shows('Nothing waits')
  const { wallets } = await client.getWallets()
  expect(wallets).toMatchObject([{ walletName: 'By two' }])
  await page.go('/activities')
  await page.click('Create wallet')
  await page.shows('Votes and stamps')
  await page.picture('activity')
  const { activities } = await client.getActivities({ filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'] })
  const [, approval] = activities[0]?.votes ?? []
  expect(approval?.scheme).toContain('WEBAUTHN')
})

describe('axe finds nothing', () => {
  const views = [desktop, { ...desktop, colours: 'dark' }, { width: 375, height: 720, colours: 'light' }] as const
  const people = ['/private-keys', '/users', '/quorum']
  const settings = ['/sub-organizations', '/ip-allowlist', '/webhooks', '/settings']
  const pages = ['/', '/inbox', '/activities', '/wallets', ...people, ...settings, '/account'] as const

  test('on any page, in light and dark and on a narrow screen', async (context) => {
    const page = await openConsole(context, server)
    const findings = async () => {
      for (const view of views) {
        await setView(page.send, view)
        const found = await axeFindings(page)
        const at = await page.evaluate<string>(`() => location.hash`)
        expect(found, `${at} ${JSON.stringify(view)}`).toEqual([])
        const width = await page.evaluate<number>(`() => document.documentElement.scrollWidth`)
        expect(width, `${at} is no wider than the screen`).toBeLessThanOrEqual(view.width)
        await page.picture(`axe_${at.replaceAll(/\W/g, '').slice(0, 20)}_${view.width}_${view.colours}`)
      }
    }
    await loadAxe(page)
    await page.shows('Log in')
    await findings()
    await logInByFile(page, server)
    for (const path of [...pages, `/users/${server.credentials.userId}`]) {
      await page.go(path)
      await page.evaluate(`() => new Promise((resolve) => setTimeout(resolve, 200))`)
      await findings()
    }
  })
})
