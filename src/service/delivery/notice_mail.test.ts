import { expect, test } from 'vitest'
import { noticeCharactersMax, noticeKinds } from '../../protocol/wire/notices.ts'
import { assertMessage } from '../../protocol/wire/outgoing_messages.ts'
import { dressed, mailColorDefault } from './carriers/mail_html.ts'
import { noticesPerMailMax } from './notice_delivery.ts'
import { noticeMail } from './notice_mail.ts'

const look = { name: 'Claviger', color: mailColorDefault, logo: undefined, support: 'help@example.com' }

test('as many notices as a mail can have, of nothing but markup, are a mail that can be sent', () => {
  const notice = (index: number) => ({
    channel: 'notice' as const,
    kind: noticeKinds[index % noticeKinds.length] ?? 'approve',
    to: 'ada@example.com',
    title: '"'.repeat(280),
    text: '<'.repeat(noticeCharactersMax),
    link: `https://keys.example/#/activities/${index}`,
  })
  const others = Array.from({ length: noticesPerMailMax - 1 }, (_, index) => notice(index + 1))
  const mail = dressed(noticeMail([notice(0), ...others]), look)
  expect(() => assertMessage(mail)).not.toThrow()
  for (let index = 0; index < noticesPerMailMax; index += 1) expect(mail.text).toContain(`/activities/${index}\n`)
  expect(mail.text).toContain('<'.repeat(noticeCharactersMax))
})

test('notices with a warning come first and are counted in the subject', () => {
  const notice = (title: string) => ({
    ...{ channel: 'notice' as const, kind: 'approve' as const, to: 'ada@example.com', title },
    ...{ text: `text of ${title}`, link: 'https://keys.example/#/activities/1' },
  })
  const mail = noticeMail([notice('Create wallet: “WARNING: ”'), notice('WARNING: nobody can tell. Sign a payload')])
  expect(mail.subject).toBe('2 notices, 1 of them with a WARNING')
  expect(mail.text).toMatch(/^Your approval is asked for\n\nWARNING: nobody can tell\. Sign a payload\n/)
  const long = noticeMail([notice(`Create wallet: “${'a'.repeat(200)}”`)])
  expect(long.subject).toMatch(/: Create wallet: “a{200}”$/)
})
