import { sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { keccak256, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { textNotes } from './text_notes.ts'

const codesOf = (text: string) => textNotes(text).map(({ code }) => code)

/** As well-known pages and wallets write them. */
const logins = [
  `app.example wants you to sign in with your Ethereum account:
0x70997970C51812dc3A010C7d01b50e0d17dc79C8

I accept the terms: https://app.example/tos?from=login&to=app

URI: https://app.example/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2026-09-30T16:25:24Z
Expiration Time: 2026-10-01T16:25:24Z
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq
- https://example.com/my-web2-claim.json`,
  `Sign in to example.com nonce ${'8f3a'.repeat(16)}`,
  `Welcome to OpenSea!

Click to sign in and accept the OpenSea Terms of Service (https://opensea.io/tos) and Privacy Policy (https://opensea.io/privacy).

This request will not trigger a blockchain transaction or cost any gas fees.

Wallet address:
0x70997970c51812dc3a010c7d01b50e0d17dc79c8

Nonce:
2f8a5b1c-7d4e-4b8a-9c3d-1e6f7a8b9c0d`,
  'I am signing my one-time nonce: 481516',
  'Sign this message for authenticating with your wallet. Nonce: 0x1f2e3d4c5b6a79880917a6b5c4d3e2f1',
  `example.com wants you to sign in with your Solana account:
7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU

Sign in

Nonce: oBbLoEldZs`,
  '{"domain":"app.example","uri":"https://app.example","version":"1","chainId":1,"nonce":"x9","issuedAt":"2026-01-01T00:00:00Z","requestId":"7","resources":["a"]}',
  '{"iss":"did:example:1","sub":"a","aud":"https://pay.example","exp":1700000000,"iat":1,"state":"x","redirect_uri":"https://a.example","token_type":"b","payload":"c","type":"login","total":1}',
  '8f3a6c1d2e4b5a6978877665',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  'Internationalization of the Donaudampfschifffahrtsgesellschaft',
]

test.each(logins)('a login has no warning: %s', (text) => {
  expect(codesOf(text)).toEqual([])
})

const part = (given: object) => Buffer.from(JSON.stringify(given)).toString('base64url')
const digest = keccak256('0x05')
const digits = digest.slice(2)

test.each([
  ['in hex', digest, 'mayBeHash'],
  ['in hex without a prefix', digits, 'mayBeHash'],
  ['in upper case', digits.toUpperCase(), 'mayBeHash'],
  ['in a line of its own', `${digest}\n`, 'mayBeHash'],
  ['with blanks', digits.replace(/(.{8})/g, '$1 '), 'mayBeHash'],
  ['in two lines', `${digits.slice(0, 32)}\r\n${digits.slice(32)}`, 'mayBeHash'],
  ['with colons', digits.replace(/(..)(?=.)/g, '$1:'), 'mayBeHash'],
  ['byte by byte', digits.replace(/(..)/g, '0x$1, '), 'mayBeHash'],
  ['in quotes', `"${digest}"`, 'mayBeHash'],
  ['in full width', digits.replace(/[0-9]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)), 'mayBeHash'],
  ['with characters of no width', digits.replace(/(.{4})/g, '$1\u200b'), 'mayBeHash'],
  ['behind a mark of byte order', `\ufeff${digits}`, 'mayBeHash'],
  ['without zeros at its beginning', `0x${digits.slice(3)}`, 'mayBeHash'],
  ['in Base64', Buffer.from(digits, 'hex').toString('base64'), 'mayBeHash'],
  ['in Base64url', Buffer.from(digits, 'hex').toString('base64url'), 'mayBeHash'],
  ['in Base58', base58.encode(Buffer.from(digits, 'hex')), 'mayBeHash'],
  [
    'of a transaction in hex',
    serializeTransaction({ type: 'eip1559', chainId: 1, value: 5n }).repeat(3),
    'unknownMeaning',
  ],
  ['of a longer hash', bytesToHex(sha512(Uint8Array.of(1))), 'unknownMeaning'],
  [
    'of lines in Base64',
    Buffer.alloc(300, 7)
      .toString('base64')
      .replace(/(.{64})/g, '$1\n'),
    'unknownMeaning',
  ],
  [
    'of a token',
    `${Buffer.from('{"alg":"ES256K","typ":"JWT"}').toString('base64url')}.${Buffer.from('{"to":"b"}').toString('base64url')}`,
    'unknownMeaning',
  ],
  ['in a list of numbers', `[${Array.from({ length: 64 }, (_, index) => index)}]`, 'unknownMeaning'],
] as const)('a text that only writes bytes down says nothing: %s', (_, text, code) => {
  expect(codesOf(text)).toEqual([code])
})

test.each([
  '{"toaddress":"bob"}',
  '{"TOADDRESS":"bob"}',
  '{"toAddr":"bob"}',
  '{"TOAddress":"bob"}',
  '{"recipientAddress":"bob"}',
  '{"amount0":5}',
  '{"payamountusd":5}',
  '{"a":[[{"b":[{"to_address2":"bob"}]}]]}',
  '["transfer","bob",5]',
  '{"type":"MsgSend","args":["bob",5]}',
  '{"method":"eth_sendTransaction","params":["0x02"]}',
  '{"symbol":"BTCUSDT","side":"SELL","timeInForce":"GTC"}',
  '{"hash":"0xabcdef"}',
  "{'to':'bob','n':1}",
  '{to:"bob",n:1}',
  '<Document><CdtTrfTxInf><Amt Ccy="EUR">5</Amt></CdtTrfTxInf></Document>',
  'coin=USDT&%61mount=100&network=ETH',
  'symbol=BTCUSDT&side=SELL&type=MARKET&quantity=5&timestamp=1700000000000',
  'amount=5',
  'instruction=orderCancelAll&symbol=SOL_USDC&timestamp=1700000000000&window=5000',
  'symbol=SOL_USDC&leverage=50&timestamp=1700000000000',
  '{"closePosition":true,"symbol":"SOL_USDC"}',
  '{"cancel":"all"}',
  'cmd=withdraw;amount=5;for=eve',
  'symbol=BTCUSDT&timestamp=1764360000000',
  'asset=BTC&address=1eve&network=BTC&timestamp=1764360000000',
  'timestamp=1764360000000',
  '?timestamp=1764360000000',
  'timestamp=1764360000000&note=to the bank',
  'action=login&nonce=5f2b&redirect_uri=https://app.example',
  'state=5f2b;nonce=3',
  '{"agentAddress":"0xeee","agentName":"x","nonce":1}',
  '{"session_key":"0xeee","expires":1}',
  '{"sessionkey":"0xeee","expires":1}',
  '{"key":"0xeee","scope":"*"}',
  '{"permissions":["all"]}',
  '{"symbol":"BTCUSDT","time":1}',
  '{"coin":"BTC"}',
  '{"asset":"BTC"}',
  '["eve",1000,"USDC"]',
  ' [ [0, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "1000", "USDC"] ]',
  '[0,"abc",1700000000,1,[],"hello"]',
  '{"signer_id":"a.near","public_key":"ed25519:abc","method_names":["add_full_access_key"]}',
  '{"grant":"all","for":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}',
  '{"grantee":"eve"}',
  '{"authorizedDelegate":"eve"}',
  '{"account":"a","newOwner":"eve"}',
])('a text that programs read and that names what transactions have may be one: %s', (text) => {
  expect(codesOf(text)).toEqual(['mayBeTransaction'])
})

test.each([
  '2026-11-28T08:00:00.000ZGET/api/v5/asset/withdrawal?ccy=BTC&amt=5&dest=4&toAddr=bc1q',
  'GET\n/api/v3/withdraw?asset=BTC&address=bc1q&amount=5\n1700000000',
  'GET /v1/withdraw?asset=BTC',
  'POST/api/v1/withdrawals1700000000{"a":1}',
  '1700000000POST/v2/accounts/primary/transactions{"a":"b"}',
  '1746007718237POST/api/1.0/orders/123',
  'POST|/v1/custody/new_withdraw_request/|1700000000|coin:ETH',
  'GET\napi.market.example\n/v1/order/cancel\nAccessKeyId',
  'key of the market POSTwww.market.example/api/v2/withdrawal/',
  '1700000000\nnonce\nPOST\n/api/v2/private/withdraw\n',
  'DELETE\n/\n\nhost:a.example',
  'rh-api-6148effc-0f2a1700000000/api/v1/crypto/trading/orders/POST',
  'rh-api-6148effc-0f2a1700000000/api/v1/crypto/trading/orders/POST{"a":1}',
  '/api/v2/auth/w/withdraw1700000000{"a":1}',
  '1700000000/withdraw?asset=BTC',
  '/withdraw?asset=BTC',
  '"@method": POST\n"@path": /withdraw',
  `AWS4-X509-ECDSA-SHA256\n20260101T000000Z\n20260101/us-east-1/rolesanywhere/aws4_request\n${'3af1c7e2b9d04856'.repeat(4)}`,
  `AWS4-ECDSA-P256-SHA256\n20260101T000000Z\n20260101/s3/aws4_request\n${'3af1c7e2b9d04856'.repeat(4)}`,
  `GOOG4-ECDSA-P256-SHA256\n20260101T000000Z\n20260101/auto/storage/goog4_request\n${'3af1c7e2b9d04856'.repeat(4)}`,
  '(request-target): post /withdraw\nhost: a.example',
])('a request to a market or another server may be an order: %s', (text) => {
  expect(codesOf(text)).toEqual(['mayBeTransaction'])
})

test.each([
  'GET ready to sign in / to log in',
  'I agree to the rules about INPUT/OUTPUT and PUT/CALL options',
  'Accept GET/POST requests of this page',
  '12/25/2026 Log in to example.com/login?from=a',
  'https://example.com/login?from=a&to=b',
  'Log in at https://example.com/api/POST with your wallet',
  'Return to https://example.com/a/b?c=d',
  '/s/ Alice Smith',
  'n/a',
  'and/or',
  'Post /r/ethereum: verify me',
  '[Example] Sign in',
  '[1] I accept the terms, [2] of the shop',
  'Log in with nonce=5f2b',
  '1 + 1 = 2',
  'example.com',
  'exchange.example.com',
  'Version v2.public.release',
  'AWS4 users log in here',
  '{"grant_type":"authorization_code","state":"a"}',
])('what only looks a little like an order has no warning: %s', (text) => {
  expect(codesOf(text)).toEqual([])
})

test.each([
  '{"method":"cashout","params":["eve",1000]}',
  '{"do":["eve",1000]}',
  '{"do":[1000,"eve"]}',
  'receiver: eve\namount: 1000\nnonce: 5',
  'action: cashout; receiver: eve; amount: 1000',
  'To = eve, Pay amount = 5',
])('an order with the names or the places of a program has a warning: %s', (text) => {
  expect(codesOf(text)).toEqual(['mayBeTransaction'])
})

test.each(['- urn:recap:', '- URN:ReCap:', '{"resources":["urn:recap:'])(
  'a text that gives rights in Base64 (ERC-5573) has a warning: %s',
  (start) => {
    const [login = ''] = logins
    const rights = part({ att: { 'https://vault.example': { 'wallet/transfer': [{}] } }, prf: [] })
    expect(codesOf(`${login}\n${start}${rights}"]}`)).toEqual(['mayBeTransaction'])
  },
)

test.each(['Release of the claim: 5 to Eve', 'Amount: 5 USD', '{"roles":["admin","user"]}', 'Dear Bob,\nNote: hello'])(
  'a text with one name or a list of names has none: %s',
  (text) => {
    expect(codesOf(text)).toEqual([])
  },
)

test.each([
  `${part({ alg: 'EdDSA' })}.${part({ sub: 'eve' })}`,
  `"${part({ alg: 'EdDSA' })}.${part({ sub: 'eve' })}"`,
  `${part({ alg: 'EdDSA' })}.e30`,
  `${part({ alg: 'EdDSA' })}.`,
  `${part({ b64: false, alg: 'EdDSA' })}.{"sub":"eve"}`,
  `${Buffer.from(' {"alg" : "EdDSA"}').toString('base64url')}.e30`,
  `${part({ alg: 'EdDSA', b64: false, crit: ['b64'] })}.to the bank: 5`,
  `${part({ alg: 'EdDSA', b64: false, kid: 'x'.repeat(6_000) })}.to the bank: 5`,
  'v4.public.e30',
])('what the signature of a token covers says nothing, however short: %s', (text) => {
  expect(codesOf(text)).toEqual(['unknownMeaning'])
})

test.each([
  ['tags', 'Log in \u{e0074}\u{e006f}', 'hiddenCharacters'],
  ['an override of the direction', 'Log in \u202eevil', 'hiddenCharacters'],
  ['characters of no width', 'Log\u200b in', 'hiddenCharacters'],
  ['marks that strike a word out', 'I agree to n\u0336o\u0336t\u0336 pay Eve', 'hiddenCharacters'],
  ['so many marks that they cover it', `a${'\u0301'.repeat(50)}`, 'hiddenCharacters'],
  ['blanks alone', ' '.repeat(60), 'unknownMeaning'],
  ['fillers alone', '\u3164'.repeat(40), 'unknownMeaning'],
] as const)('a text of %s has a warning', (_, text, code) => {
  expect(codesOf(text)).toEqual([code])
})

test.each(['ünïcode 株式会社\u3000次の行 👩‍🚀 ❤️ 1️⃣', 'می‌خواهم وارد شوم', 'שלום עולם', 'prix\u00a0: aucun', 'क्‍ष'])(
  'a text as languages are written has no warning: %s',
  (text) => {
    expect(codesOf(text)).toEqual([])
  },
)

const readableHash = 'q}7K&v=1z,"A@r;F0^n~T?5e<X|8m$Jw'

test.each([
  ['alone behind a prefix', `CHN1${readableHash}`, ['unknownMeaning']],
  ['in a sentence', `Log in to the shop ${readableHash} now`, ['unknownMeaning']],
  ['of other scripts', `Log in ${'ώ~Ж5ß"Ω'.repeat(3)}`, ['unknownMeaning']],
  ['in JSON', `{"id":${JSON.stringify(readableHash)}}`, ['unknownMeaning']],
] as const)('32 bytes that nobody writes may be a hash in a text: %s', (_, text, codes) => {
  expect(codesOf(text)).toEqual(codes)
})
