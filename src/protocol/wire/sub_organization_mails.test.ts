import { expect, test } from 'vitest'
import { beginsWith, isLink } from './sub_organization_mails.ts'

test.each([
  'search-ms:query=x',
  'ms-msdt:/id',
  'MS-Word:ofe|u|https://a.example/x.docx',
  'smb://host/x',
  'feed:javascript:alert(1)',
  'view-source:https://a.example/',
  'jar:https://a.example!/y',
  'filesystem:https://a.example/y',
  'about:blank',
  'javascript:alert(1)',
  'http://a.example/',
])('no mail has the link %s', (link) => {
  expect(isLink(link)).toBe(false)
})

test.each(['https://a.example/x?y=%20', 'myapp:', 'com.example.app://login/x', 'http://localhost:8787/'])(
  'a mail may have the link %s',
  (link) => {
    expect(isLink(link)).toBe(true)
  },
)

const beginning = 'https://app.example.com/login/'

test.each(['..;/out?to=x', '%u002e%u002e/out', '..%00/out', '.%09./out', '%c0%ae%c0%ae/out', '%EF%BC%8E%EF%BC%8E/out'])(
  'below a path no link goes on with %s, which some server reads as a way out of it',
  (rest) => {
    expect(beginsWith(`${beginning}${rest}`, beginning)).toBe(false)
    // A whole host is allowed with all its paths.
    expect(beginsWith(`https://app.example.com/${rest}`, 'https://app.example.com/')).toBe(true)
  },
)

test.each(['', 'x', 'x/y.z', 'x?a=%20;b', 'x#a=%20;b'])('below a path a link goes on with "%s"', (rest) => {
  expect(beginsWith(`${beginning}${rest}`, beginning)).toBe(true)
})
