import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutLine, fittingLines } from './cut_lines.ts'
import { quoted } from './quoted.ts'

const isClosed = (text: string) =>
  text.split('“').length === text.split('”').length && text.split('\u2068').length === text.split('\u2069').length

test('a line that is cut ends its quotes', () => {
  expect(cutLine('Create policy: “Long name” (policy 1)', 25)).toBe('Create policy: “Long n”…')
  expect(cutLine('Create policy: “Long name”', 26)).toBe('Create policy: “Long name”')
  expect(cutLine(`Name ${quoted('שלום עולם')} (user 1)`, 12)).toBe('Name “\u2068של\u2069”…')
})

test('a long text in a line leaves room for what stands behind it', () => {
  const name = `Begin${'x'.repeat(190)}end`
  const opens = ' opens policies, credentials, exports of keys, [5 more] to every user. Create policy: '
  const title = `WARNING: ${quoted(name)}${opens}${quoted(name)}, allows`
  const short =
    /^WARNING: “Beginx+”…“x+end” opens policies, credentials, exports of keys, \[5 more\] to every user\. Create/
  for (const cut of [cutLine(title, 200), cutLine(title, 150), cutLine(cutLine(title, 200), 150)]) {
    expect(cut).toMatch(short)
    expect(cut.match(/…/g)?.length).toBeLessThanOrEqual(3)
  }
  expect(cutLine(title, 200)).toMatch(/”, allows$/)
  expect(cutLine(`Call ${quoted(name)} of 0x1 with 5 ETH`, 150)).toMatch(
    /^Call “Beginx{23}”…“x{25}end” of 0x1 with 5 ETH$/,
  )
  const hebrew = `שלום ${'ש'.repeat(100)}`
  expect(cutLine(`Name ${quoted(hebrew)} (user 1)`, 90)).toMatch(
    /^Name “\u2068[^”]+\u2069”…“\u2068ש+\u2069” \(user 1\)$/,
  )
  const marked = `${'a'.repeat(90)}e\u0301${'a'.repeat(27)}`
  expect(cutLine(`“${marked}”`, 80)).toBe(`“${'a'.repeat(28)}”…“${'a'.repeat(27)}”`)
})

test('numbers of a warning lose their middle before anything else is cut, and say how many digits they have', () => {
  const most = String(2n ** 256n - 1n)
  const eve = `0x${'ee'.repeat(20)}`
  const title = `WARNING: ${eve} gets ${most} of the token number ${most} of ${eve}, and 2 more. Call “executeBatch” of ${eve}`
  const short = '1157920892…639935 (78 digits)'
  const shortened = `WARNING: ${eve} gets ${short} of the token number ${short} of ${eve}, and 2 more. `
  expect(cutLine(title, 270)).toBe(`${shortened}Call “executeBatch” of ${eve}`)
  expect(cutLine(title, 200)).toMatch(/, and 2 more\. C.*…$/)
  const grouped = most.replace(/\B(?=([0-9]{3})+$)/g, '\u00a0')
  expect(cutLine(`Send ${grouped} of it`, 60)).toBe('Send 115\u00a0792\u00a008…39\u00a0935 (78 digits) of it')
  // A text that somebody set is no number of ours.
  expect(cutLine(`Call “${most.slice(0, 20)}” of ${most}`, 70)).toBe(`Call “${most.slice(0, 20)}” of ${short}`)
  expect(cutLine(`Call 0x${'1'.repeat(40)}`, 30)).not.toContain('digits')
})

test('a warning that is too long is cut itself: how many more there are and how the sentence begins stay', () => {
  const warning = `WARNING: for the execution, the Safe pays ${'x'.repeat(42)} 1 ETH for each gas; ${'y'.repeat(200)}`
  for (const more of [', and 12 more. ', '. ']) {
    const title = `${warning}${more}Call “execTransaction” of ${'z'.repeat(42)}`
    for (const cut of [cutLine(title, 200), cutLine(title, 150), cutLine(cutLine(title, 200), 150)]) {
      expect(cut.startsWith('WARNING: for the execution, the Safe pays')).toBe(true)
      expect(cut).toContain(`…${more}Call “execTransaction” of zz`)
      expect(cut.endsWith('…')).toBe(true)
      expect([...cut].length).toBeLessThanOrEqual(200)
    }
  }
  // A text that somebody set counts no warnings, and a warning of two sentences is one.
  const limit = 'WARNING: not read: more than 5000 values. The limit is the server’s'
  const named = `${limit}, and 3 more. Call “, and 9 more. ${'x'.repeat(20)}” of ${'z'.repeat(42)}`
  expect(cutLine(named, 100)).toMatch(/The limit is the server’s, and 3 more\. Call/)
  expect(cutLine(`${warning}, and 3 more. Sign`, 20)).toBe('WARNING: for the …')
})

test('a long line shows its end too, and says how much is missing between', () => {
  const condition = `${'a'.repeat(4_000)} || true`
  const [line = '', ...others] = fittingLines(
    ['effect: allow', `condition: ${quoted(condition)}`, 'x'.repeat(3_000)],
    2_000,
  ).slice(1)
  expect(line).toMatch(
    /^condition: “a+” \[3,[0-9]{3} characters are left out here; the console shows them\] “a+ \|\| true”$/,
  )
  expect(others.at(-1)).toBe('[The text is cut here; the console shows the rest.]')
})

test('lines that have room are left as they are', () => {
  const lines = ['a'.repeat(900), 'b'.repeat(900)]
  expect(fittingLines(lines, 2_000)).toEqual(lines)
})

test('whatever is cut fits, has its quotes closed, and says so', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 }).map(quoted)
  const lines = fc.array(
    fc.tuple(text, fc.nat(40)).map(([one, times]) => `name: ${one}${' x'.repeat(times * 40)}`),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(lines, fc.integer({ min: 400, max: 4_000 }), (given, charactersMax) => {
      const shown = fittingLines(given, charactersMax)
      expect(shown.join('\n').length).toBeLessThanOrEqual(charactersMax)
      expect(shown.every(isClosed)).toBe(true)
      if (shown.join('\n') !== given.join('\n')) expect(shown.join('\n')).toMatch(/left out here|The text is cut here/)
      for (const line of given) {
        const cut = cutLine(line, 100)
        expect([...cut].length).toBeLessThanOrEqual(100)
        expect(isClosed(cut)).toBe(true)
        expect(isClosed(cutLine(cut, 60))).toBe(true)
      }
    }),
  )
})
