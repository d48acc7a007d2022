import {
  type ActivityProof,
  type EntryVerdict,
  readActivityProof,
  verifyActivityProof,
} from '../../../src/protocol/log/activity_proof.ts'
import { type Policy, readPolicy } from '../../../src/protocol/log/policy.ts'
import type { Reading } from '../../../src/protocol/log/reading.ts'
import { visibleText } from '../../../src/protocol/tools/visible_text.ts'
import { verify as de } from '../texts/de/verify.ts'
import { verify as en } from '../texts/en/verify.ts'
import { element, facts } from './elements.ts'
import { keyVerifier } from './key_verifier.ts'
import { refusalText } from './refusal_text.ts'

/** A page of its own, in one file, which checks proofs without a server. `console/verify_page.ts` builds it. */

const languages = { en, de } as const
type Language = keyof typeof languages
type Texts = typeof en

const names: { readonly [L in Language]: string } = { en: 'English', de: 'Deutsch' }

type ChosenFile = { readonly name: string; readonly bytes: Uint8Array }

/** The files that were chosen, whatever the language. */
type Chosen = { proof?: ChosenFile; policy?: ChosenFile }

/** The first of the browser's languages that there is. */
export function firstLanguage(): Language {
  return navigator.languages.find((tag) => /^(en|de)\b/.test(tag))?.startsWith('de') === true ? 'de' : 'en'
}

/** Shows the page anew in a language. */
export function showPage(language: Language, given: Chosen = {}): void {
  const texts: Texts = languages[language]
  document.documentElement.lang = language
  document.title = texts.title
  const result = element('div', { id: 'result' })
  result.setAttribute('role', 'status')
  const check = () => result.replaceChildren(...resultOf(texts, language, given))
  document.body.replaceChildren(
    element(
      'main',
      {},
      languageChoice(texts, language, (other) => showPage(other, given)),
      element('h1', {}, texts.title),
      element('p', {}, texts.about),
      fileField(texts.proof, { hint: texts.proofHint, kind: 'proof', given }, check),
      fileField(texts.policy, { hint: texts.policyHint, kind: 'policy', given }, check),
      result,
      element('p', { className: 'limits' }, texts.limits),
    ),
  )
  check()
}

function languageChoice(texts: Texts, chosen: Language, onChoice: (language: Language) => void): HTMLElement {
  const options = Object.entries(names).map(([value, name]) =>
    element('option', { value, selected: value === chosen }, name),
  )
  const select = element('select', { ariaLabel: texts.language }, ...options)
  select.addEventListener('change', () => onChoice(select.value === 'de' ? 'de' : 'en'))
  return select
}

type Field = { readonly hint: string; readonly kind: keyof Chosen; readonly given: Chosen }

function fileField(label: string, { hint, kind, given }: Field, onChange: () => void): HTMLElement {
  const input = element('input', { type: 'file', ariaLabel: label, id: kind })
  input.setAttribute('aria-describedby', `${kind}-hint`)
  const chosen = element('p', { className: 'chosen' }, given[kind]?.name ?? '')
  input.addEventListener('change', async () => {
    const [file] = input.files ?? []
    if (file === undefined) return
    given[kind] = { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }
    chosen.remove() // the browser names the file itself
    onChange()
  })
  return element(
    'section',
    {},
    element('label', { htmlFor: kind }, label),
    element('p', { id: `${kind}-hint` }, hint),
    input,
    chosen,
  )
}

function resultOf(texts: Texts, language: Language, given: Chosen): readonly Node[] {
  if (given.proof === undefined) return []
  const proof = readActivityProof(given.proof.bytes)
  const policy: Reading<Policy> | undefined = given.policy && readPolicy(given.policy.bytes)
  if (proof.kind === 'malformed') return unreadable(texts, given.proof, proof.reason)
  if (policy?.kind === 'malformed') return unreadable(texts, given.policy, policy.reason)
  const verdicts = verifyActivityProof(proof.value, { policy: policy?.value, verifierOf: keyVerifier })
  return [...headOf(texts, verdicts, policy !== undefined), ...entriesOf(texts, language, proof.value, verdicts)]
}

function unreadable(texts: Texts, file: ChosenFile | undefined, reason: string): readonly Node[] {
  const title = texts.unreadable(visibleText(file?.name ?? '').text)
  return [banner('bad', title, refusalIn(texts, reason))]
}

/** A name of a key may have any characters. */
function refusalIn({ reasons }: Texts, reason: string): string {
  return visibleText(refusalText(reason, reasons)).text
}

function headOf(texts: Texts, verdicts: readonly EntryVerdict[], hasPolicy: boolean): readonly Node[] {
  if (verdicts.some(({ kind }) => kind === 'refused')) return [banner('bad', texts.refused, texts.refusedAbout)]
  if (!hasPolicy) return [banner('wait', texts.unvouched, texts.unvouchedAbout)]
  return [banner('good', texts.proven, texts.provenAbout)]
}

function banner(kind: 'good' | 'wait' | 'bad', title: string, about: Node | string): HTMLElement {
  return element('div', { className: `banner ${kind}` }, element('h2', {}, title), element('p', {}, about))
}

function entriesOf(
  texts: Texts,
  language: Language,
  { uncoveredVersions }: ActivityProof,
  verdicts: readonly EntryVerdict[],
): readonly Node[] {
  const missing = uncoveredVersions.length === 0 ? [] : [texts.uncovered(uncoveredVersions.join(', '))]
  return [
    ...missing.map((text) => element('p', { className: 'missing' }, text)),
    ...verdicts.map((verdict, place) =>
      element('section', {}, element('h2', {}, texts.entry(place + 1)), facts(rowsOf(texts, language, verdict))),
    ),
  ]
}

function rowsOf(texts: Texts, language: Language, verdict: EntryVerdict): readonly (readonly [string, string])[] {
  if (verdict.kind === 'refused') return [[texts.reason, refusalIn(texts, verdict.reason)]]
  const { entry, index, by } = verdict
  const { activity, organizationId, atMs, document: text } = entry
  const { origin, size } = by.checkpoint
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' })
  const witnesses = [...by.witnesses].map(([name, timeS]) => {
    return timeS === undefined ? name : `${name} (${time.format(timeS * 1_000)})`
  })
  const remarks = (['isLate', 'isTakenUp', 'isOfOperator'] as const).filter((flag) => entry[flag])
  return [
    [texts.organization, organizationId],
    ...(activity === undefined
      ? []
      : ([
          [texts.activity, activity.activityId],
          [texts.version, `${activity.version}`],
          [texts.type, activity.type],
          [texts.status, activity.status],
        ] as const)),
    [texts.decided, time.format(atMs)],
    [texts.log, visibleText(origin).text],
    [texts.index, `${index}`],
    [texts.size, `${size}`],
    [texts.witnesses, visibleText(witnesses.join(', ')).text || texts.nobody],
    ...(activity === undefined ? [] : [[texts.documentDigest, activity.documentDigest] as const]),
    ...(text === undefined ? [] : [[texts.document, visibleText(text).text] as const]),
    ...(remarks.length === 0 ? [] : [[texts.remarks, remarks.map((flag) => texts[flag]).join('; ')] as const]),
  ]
}
