import { expect, test } from 'vitest'
import { noticeCharactersMax, noticeKinds } from '../../protocol/wire/notices.ts'
import { assertMessage } from '../../protocol/wire/outgoing_messages.ts'
import { dressed, mailColorDefault } from './mail_dress.ts'
import { noticesPerMailMax } from './notice_delivery.ts'
import { noticeMail } from './notice_mail.ts'

const look = { name: 'Claviger', color: mailColorDefault, logo: undefined, support: 'help@example.com' }

test('as many notices as a mail can have, of nothing but markup, are a mail that can be sent', () => {
  const notice = (index: number) => ({
    channel: 'notice' as const,
    kind: noticeKinds[index % noticeKinds.length] ?? 'approve',
    to: 'ada@example.com',
    title: '"'.repeat(200),
    text: '<'.repeat(noticeCharactersMax),
    link: `https://keys.example/#/activities/${index}`,
  })
  const others = Array.from({ length: noticesPerMailMax - 1 }, (_, index) => notice(index + 1))
  const mail = dressed(noticeMail([notice(0), ...others]), look)
  expect(() => assertMessage(mail)).not.toThrow()
  for (let index = 0; index < noticesPerMailMax; index += 1) expect(mail.text).toContain(`/activities/${index}\n`)
  expect(mail.text).toContain('<'.repeat(noticeCharactersMax))
})
