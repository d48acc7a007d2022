import { encodeFunctionData, erc20Abi, parseEther, serializeTransaction } from 'viem'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { activityRequest } from '../support/client.ts'
import { newUserOf, serverClient } from '../support/clients.ts'
import { type ConsolePage, desktop, logInByFile, openConsole, setView } from '../support/console.ts'
import { axeFindings, loadAxe } from '../support/console_pages.ts'
import { organizationOver } from '../support/http_organization.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { generateApiKey } from '../support/stamping.ts'

const phone = { width: 375, height: 720, colours: 'light' } as const
const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let server: ReachableServer
let root: ReturnType<typeof serverClient>
/** Asks for what waits; with the root user it is half of a root quorum of two. */
let asker: ReturnType<typeof serverClient>
let signWith: string
/** A user that one of the tests deletes. */
let stale: Awaited<ReturnType<typeof newUserOf>>

beforeAll(async () => {
  server = await organizationOnSharedServer()
  root = serverClient(server)
  const account = { curve: 'CURVE_SECP256K1', pathFormat: 'PATH_FORMAT_BIP32', path: "m/44'/60'/0'/0/0" } as const
  const { addresses } = await root.createWallet({
    walletName: 'Treasury',
    accounts: [{ ...account, addressFormat: 'ADDRESS_FORMAT_ETHEREUM' }],
  })
  signWith = addresses[0] ?? ''
  stale = await newUserOf(root, 'Stale')
  const { userId, credentials } = await newUserOf(root, 'Grace')
  asker = serverClient(server, 'spec', credentials)
  await root.updateRootQuorum({ threshold: 2, userIds: [server.credentials.userId, userId] })
})

const waitingOf = async () =>
  (await root.getActivities({ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })).activities

beforeEach(async () => {
  for (const { fingerprint } of await waitingOf()) await root.rejectActivity({ fingerprint })
})

async function askFor(walletName: string): Promise<string> {
  await asker.createWallet({ walletName, accounts: [] })
  const [found] = await waitingOf()
  return found?.fingerprint ?? ''
}

async function askToSign(fields: object): Promise<void> {
  const unsignedTransaction = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, to },
    ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, value: parseEther('1.5') },
    ...fields,
  })
  await asker.signTransaction({ signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction })
}

/** Answers the next request on this path in the server's place, or in place of the network. */
const answerNext = (page: ConsolePage, path: string, status: number | 'lost' | 'lostAnswer') =>
  page.evaluate(
    `(path, status) => {
      const given = globalThis.fetch
      let isUsed = false
      globalThis.fetch = async (url, options) => {
        if (isUsed || !String(url).endsWith(path)) return given(url, options)
        if (typeof status !== 'number') {
          if (status === 'lostAnswer') await given(url, options)
          throw new TypeError('Failed to fetch')
        }
        isUsed = status === 409
        return new Response(JSON.stringify({ code: 10, message: 'somebody else changed this at the same time' }), { status })
      }
      globalThis.restoreFetch = () => { globalThis.fetch = given }
    }`,
    path,
    status,
  )

async function openInbox(
  context: Parameters<typeof openConsole>[0],
  view: Parameters<typeof setView>[1] = phone,
): Promise<ConsolePage> {
  const page = await openConsole(context, server, { view })
  await logInByFile(page, server)
  await page.go('/inbox')
  return page
}

const press = async (page: ConsolePage, key: 'Tab' | 'Enter') => {
  const code = { Tab: 9, Enter: 13 }[key]
  const text = key === 'Enter' ? { text: '\r' } : {}
  await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code: key, windowsVirtualKeyCode: code, ...text })
  await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, windowsVirtualKeyCode: code })
}

test('large requests hide no older one, in the inbox or among the activities', {
  timeout: 180_000,
}, async (context) => {
  await askFor('Old and small')
  for (let index = 0; index < 6; index += 1) {
    const payload = String(index).padEnd(900_000, 'x')
    const form = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' } as const
    await asker.signRawPayload({ signWith, payload, ...form })
  }
  // The server's pages end before the limit when their activities are large.
  const first = await root.getActivities({ paginationOptions: { limit: '25' } })
  expect(first.activities.length).toBeLessThan(7)
  const page = await openInbox(context)
  await page.shows('Old and small')
  await page.go('/activities')
  await page.click('Older')
  await page.shows('Create wallet')
})

describe('a payment in the inbox', () => {
  test('says what it does, in English and German, on a phone and a wide screen', async (context) => {
    await askToSign({})
    await askToSign({
      value: 0n,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, 2n ** 256n - 1n] }),
    })
    const page = await openInbox(context)
    await page.shows(`Send 1.5 ETH to ${to}`)
    await page.shows('1,500,000,000,000,000,000 wei')
    await page.shows('0.000042 ETH')
    await page.shows('UNLIMITED')
    await page.shows('Asked by “Grace”')
    await page.shows('One approval is enough, of:')
    await page.picture('meaning_phone_light')
    await setView(page.send, { ...phone, colours: 'dark' })
    await page.picture('meaning_phone_dark')
    await setView(page.send, { ...desktop, colours: 'dark' })
    await page.picture('meaning_desktop_dark')
    await setView(page.send, desktop)
    await page.picture('meaning_desktop_light')
    await page.click('Details')
    await page.shows('Fingerprint')
    await page.shows('UNLIMITED')
    await page.picture('meaning_activity_desktop')
    await setView(page.send, phone)
    await page.picture('meaning_activity_phone')
    await loadAxe(page)
    for (const view of [phone, { ...desktop, colours: 'dark' } as const]) {
      for (const path of ['/inbox', undefined]) {
        if (path !== undefined) await page.go(path)
        else await page.click('Details')
        // Which the activity shows, with the same meaning.
        await (path === undefined ? page.shows : page.hides)('Fingerprint')
        await page.shows('UNLIMITED')
        await setView(page.send, view)
        expect(await axeFindings(page)).toEqual([])
        expect(await page.evaluate(`() => document.documentElement.scrollWidth <= innerWidth`)).toBe(true)
      }
    }
    await page.evaluate(`() => localStorage.setItem('claviger.language', 'de')`)
    await page.reload()
    await page.shows('UNBEGRENZT')
    await page.go('/inbox')
    await page.shows(`1,5 ETH an ${to} senden`)
    await page.shows('1.500.000.000.000.000.000 wei')
    await page.shows('Wer anfragt und wer entscheidet')
    await page.picture('meaning_phone_german')
  })

  test('says the values of enums, and times, in the words of the reader', async (context) => {
    const payload = 'ab'.repeat(32)
    const form = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' } as const
    await asker.signRawPayload({ signWith, payload, ...form })
    const { post, organizationId, freshTimestampMs } = organizationOver(server)
    const parameters = { userId: stale.userId, publicKey: generateApiKey().publicKey, expirationSeconds: '600' }
    const timestampMs = freshTimestampMs()
    const { path, body } = activityRequest('create_passkey_link', { organizationId, parameters, timestampMs })
    expect(await post(path, body)).toMatchObject({ status: 200 })
    const page = await openInbox(context)
    await page.shows('hexadecimal')
    await page.shows('10 minutes')
    expect(await page.evaluate(`() => document.body.innerText`)).not.toMatch(/payload encoding|hash function \w/)
    await page.evaluate(`() => localStorage.setItem('claviger.language', 'de')`)
    await page.reload()
    await page.shows('hexadezimal')
    await page.shows('keine: die Nutzdaten werden unterschrieben, wie sie sind')
    await page.shows('10 Minuten')
    await page.picture('meaning_enums_german')
  })

  test('whose meaning nobody can know says so in the first view of a phone, in English and German', async (context) => {
    const payloads = Array.from({ length: 30 }, (_, index) => (index === 19 ? 'c3'.repeat(32) : '48656c6c6f'))
    const form = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' } as const
    await asker.signRawPayloads({ signWith, payloads, ...form })
    const page = await openInbox(context)
    /** What stands in the window without scrolling, and the place of the first payload in the list. */
    const firstView = () =>
      page.evaluate<object>(`() => {
        const isSeen = (one) => one !== null && one.getBoundingClientRect().height > 0 && one.getBoundingClientRect().top < innerHeight
        const title = document.querySelector('.meaning-title-warning')
        const sections = [...document.querySelectorAll('.meaning-section')]
        return {
          title: isSeen(title) ? title.innerText.trim() : 'none',
          hasIcon: (title?.querySelector('svg') ?? null) !== null,
          first: isSeen(sections[0] ?? null) ? sections[0].dataset.kind : 'none',
          number: document.querySelector('.meaning-items > li')?.value,
          fits: document.documentElement.scrollWidth <= innerWidth,
        }
      }`)
    const seen = { hasIcon: true, first: 'warnings', number: 20, fits: true }
    const english =
      'WARNING: payload 20 of 30: these 32 bytes may be the hash of a transaction: nobody can tell what they mean.'
    const german =
      'WARNUNG: Nutzdaten 20 von 30: diese 32 Bytes können der Hash einer Transaktion sein: niemand kann sagen, was sie bedeuten.'
    await page.shows('Sign 30 payloads')
    expect(await firstView()).toEqual({ title: english, ...seen })
    await page.picture('meaning_warning_phone')
    await page.click('Details')
    await page.shows('Fingerprint')
    expect(await firstView()).toEqual({ title: english, ...seen })
    await page.picture('meaning_warning_activity_phone')
    await page.evaluate(`() => localStorage.setItem('claviger.language', 'de')`)
    await page.reload()
    await page.shows('30 Nutzdaten unterschreiben')
    expect(await firstView()).toEqual({ title: german, ...seen })
    await page.go('/inbox')
    await page.hides('Fingerabdruck') // which the page before it shows, with the same title
    await page.shows('30 Nutzdaten unterschreiben')
    expect(await firstView()).toEqual({ title: german, ...seen })
    await loadAxe(page)
    expect(await axeFindings(page)).toEqual([])
    await page.picture('meaning_warning_phone_german')
  })

  test('with texts that mislead shows them marked, and no HTML becomes part of the page', async (context) => {
    await askFor('<img src=x onerror=alert(1)> p\u0430y')
    const signing = { signWith, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' } as const
    await asker.signRawPayload({ ...signing, payload: 'pay\u202e<b>001\nline two' })
    const page = await openInbox(context)
    await page.shows('<img src=x onerror=alert(1)>')
    await page.shows('U+202E')
    await page.picture('meaning_misleading')
    expect(await page.evaluate(`() => document.querySelector('.card mark.lookalike').textContent`)).toBe('\u0430')
    expect(await page.evaluate(`() => document.querySelectorAll('.card img, .card b').length`)).toBe(0)
  })

  test('with 1,000 recipients shows a few, says how many there are, and shows the rest on demand', async (context) => {
    const recipients = Array.from({ length: 1_000 }, (_, index) => ({ to, amount: String(index + 1) }))
    const payload = JSON.stringify({
      types: {
        EIP712Domain: [{ name: 'name', type: 'string' }],
        Recipient: [
          { name: 'to', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
        Batch: [{ name: 'recipients', type: 'Recipient[]' }],
      },
      ...{ primaryType: 'Batch', domain: { name: 'Payroll' }, message: { recipients } },
    })
    const signing = { signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' } as const
    await asker.signRawPayload({ ...signing, payload })
    const page = await openInbox(context)
    await page.shows('Sign typed data “Batch” “Payroll”')
    await page.shows('Show 100 more of 995')
    const rows = () =>
      page.evaluate<number>(`() => document.querySelectorAll('[data-kind=typedData] .meaning-list > li').length`)
    expect(await rows()).toBe(5)
    await page.picture('meaning_many')
    await page.click('Show 100 more of 995')
    await page.shows('Show 100 more of 895')
    expect(await rows()).toBe(105)
  })
})

describe('a decision', () => {
  test('by keyboard alone', async (context) => {
    await askFor('By keys')
    await askFor('By keys too')
    const page = await openInbox(context)
    await page.shows('By keys too')
    const focused = () => page.evaluate<string>(`() => document.activeElement.innerText ?? ''`)
    const tabTo = async (name: string) => {
      for (let tries = 0; tries < 60 && (await focused()).trim() !== name; tries += 1) await press(page, 'Tab')
      expect((await focused()).trim()).toBe(name)
    }
    await page.shows('One approval is enough')
    await tabTo('Reject')
    await press(page, 'Enter')
    await page.shows('Rejected.')
    expect(await focused()).toContain('By keys')
    await tabTo('Approve')
    await press(page, 'Enter')
    await page.shows('Nothing waits')
    const { wallets } = await root.getWallets()
    expect(wallets.map(({ walletName }) => walletName)).toContain('By keys')
  })

  test('by another credential of who has approved, while a policy counts credentials', async (context) => {
    const own = await organizationOnSharedServer()
    const admin = serverClient(own)
    const { userId, credentials } = await newUserOf(admin, 'Heidi')
    const { publicKey: apiPublicKey, privateKeyHex: apiPrivateKey } = generateApiKey()
    const phoneKey = { apiKeyName: 'phone', publicKey: apiPublicKey, curveType: 'API_KEY_CURVE_P256' } as const
    await admin.createApiKeys({ userId, apiKeys: [phoneKey] })
    const consensus = `credentials.filter(used, used.user_id == '${userId}').count() >= 2`
    await admin.createPolicy({ policyName: 'Two keys', effect: 'EFFECT_ALLOW', consensus, condition: '', notes: '' })
    await serverClient(own, 'spec', credentials).createWallet({ walletName: 'Second key', accounts: [] })
    const page = await openConsole(context, own, { view: phone })
    await logInByFile(page, { ...own, credentials: { ...own.credentials, userId, apiPublicKey, apiPrivateKey } })
    await page.go('/inbox')
    await page.shows('Second key')
    await page.shows('One approval is enough')
    await page.click('Approve')
    await page.shows('Done.')
    await page.shows('Nothing waits')
  })

  test('that another took first ends in a text that says so, and a list without it', async (context) => {
    const fingerprint = await askFor('Taken')
    const page = await openInbox(context)
    await page.shows('Taken')
    await page.shows('One approval is enough')
    await asker.rejectActivity({ fingerprint })
    await page.click('Approve')
    await page.shows('It was already decided by others: Rejected.')
    await page.shows('Nothing waits')
  })

  test('that the server refuses with 409 stays to be taken again', async (context) => {
    await askFor('Twice')
    const page = await openInbox(context)
    await page.shows('Twice')
    await answerNext(page, '/approve_activity', 409)
    await page.click('Approve')
    await page.shows('somebody else changed this at the same time')
    await page.picture('vote_409')
    await page.click('Approve')
    await page.shows('Done.')
    await page.shows('Nothing waits')
  })

  test('whose answer is lost is found to have arrived', async (context) => {
    await askFor('Lost answer')
    const page = await openInbox(context)
    await page.shows('Lost answer')
    await answerNext(page, '/approve_activity', 'lostAnswer')
    await page.click('Approve')
    await page.shows('Done.')
    await page.shows('Nothing waits')
  })

  test('that finds a server at rest (503) says so, and works once it is back', async (context) => {
    await askFor('At rest')
    const page = await openInbox(context)
    await page.shows('At rest')
    await answerNext(page, '/approve_activity', 503)
    await page.click('Approve')
    await page.shows('somebody else changed this at the same time')
    await page.evaluate(`() => restoreFetch()`)
    await page.click('Approve')
    await page.shows('Done.')
    await page.shows('Nothing waits')
  })
})

test('a network that drops is told, and the page comes back by itself', async (context) => {
  await askFor('Before the drop')
  const page = await openInbox(context)
  await page.shows('Before the drop')
  await page.send('Network.enable', {})
  const network = (offline: boolean) =>
    page.send('Network.emulateNetworkConditions', {
      ...{ offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
    })
  await network(true)
  await page.shows('No connection. What you see may be out of date.')
  await page.shows('Before the drop')
  await page.picture('offline')
  await askFor('After the drop')
  await network(false)
  await page.shows('After the drop')
  expect(await page.evaluate(`() => document.querySelector('.banner')`)).toBeNull()
})

test('a session that the server no longer knows ends in the login, which says why', async (context) => {
  const page = await openConsole(context, server, { view: phone })
  await logInByFile(page, { ...server, credentials: { ...server.credentials, ...stale.credentials } })
  await page.go('/inbox')
  await page.shows('Nothing waits')
  await root.deleteUsers({ userIds: [stale.userId] })
  const [waiting] = await waitingOf()
  await asker.approveActivity({ fingerprint: waiting?.fingerprint ?? '' })
  await page.shows('Log in')
  await page.picture('stale_session')
  expect(await page.evaluate(`() => document.body.innerText`)).toContain('no longer')
})

test('the count of what waits is that of all pages', async (context) => {
  await askFor('One')
  await askFor('Two')
  const page = await openInbox(context, desktop)
  await page.shows('Two')
  expect(await page.evaluate(`() => document.querySelector('.navigation-count').textContent`)).toBe('2')
  await page.go('/')
  await page.shows('Open inbox')
  expect(await page.evaluate(`() => document.querySelector('.waiting-count').textContent`)).toBe('2')
})
