import type { Explanation, Row, Value } from '../../../../src/contract/explanation/explanation.ts'
import { useSpoken, useTexts } from '../../texts/texts.tsx'
import { shortened } from '../id.tsx'
import { Time } from '../time.tsx'
import { UserText } from '../user_text.tsx'
import { MeaningValue } from './meaning_value.tsx'
import { useWords, valueAt } from './words.ts'

/** The users that a line names before it only counts them. */
const usersShown = 3

function rowsOf({ sections }: Explanation, kind: 'request' | 'rule'): readonly Row[] {
  return sections.find((section) => section.kind === kind)?.rows ?? []
}

/** The user who asked, the credential and the time, in one line. Users may share a name, so the id stands beside it. */
export function AskedBy({ explanation }: { readonly explanation: Explanation }) {
  const { meaning } = useSpoken().texts
  const words = useWords()
  const rows = rowsOf(explanation, 'request')
  const [by, credential, at] = ['requestedBy', 'credential', 'requestedAt'].map((label) => valueAt(rows, label))
  const parts = credential?.kind === 'tree' ? credential.rows : []
  const [means, name] = [valueAt(parts, 'means'), valueAt(parts, 'name')]
  return (
    <>
      {meaning.askedBy} <Named value={by} />{' '}
      {by?.kind === 'id' && by.name !== undefined && (
        <code className="meaning-aside" title={by.id}>
          {shortened(by.id)}
        </code>
      )}
      {means?.kind === 'code' && (
        <>
          {', '}
          {meaning.by} {words(means.code)}{' '}
          {name?.kind === 'text' && <UserText text={name.text} charactersMax={60} isQuoted />}
        </>
      )}
      {at?.kind === 'time' && (
        <>
          {' · '}
          <Time of={at.at} />
        </>
      )}
    </>
  )
}

/** How many approvals are missing, whose they can be, and until when those that were given count. */
export function MeaningGist({ explanation }: { readonly explanation: Explanation }) {
  const words = useWords()
  const { meaning } = useSpoken().texts
  const rule = rowsOf(explanation, 'rule')
  const missing = valueAt(rule, 'missing')
  const decides = valueAt(rule, 'decides')
  const [one, several] = [valueAt(rule, 'canComplete'), valueAt(rule, 'canApprove')]
  const lapses = valueAt(rowsOf(explanation, 'request'), 'countsUntil')
  if (decides === undefined) return null
  return (
    <ul className="meaning-gist">
      <li>
        <span className="meaning-aside">{words('decides')}:</span> <MeaningValue value={decides} />
      </li>
      {missing?.kind === 'number' && missing.number === '0' && <li>{meaning.missing('0')}</li>}
      {one?.kind === 'list' && <Users label={meaning.canComplete} users={one.items} />}
      {several?.kind === 'list' && <Users label={meaning.canApprove} users={several.items} />}
      {lapses?.kind === 'time' && (
        <li>
          <span className="meaning-aside">{meaning.lapses}</span> <Time of={lapses.at} />
        </li>
      )}
    </ul>
  )
}

function Users({ label, users }: { readonly label: string; readonly users: readonly Value[] }) {
  const { language, texts } = useSpoken()
  const shown = users.slice(0, usersShown)
  const left = users.length - shown.length
  return (
    <li>
      <span className="meaning-aside">{label}</span>
      <span>
        {shown.map((user, index) => (
          <span key={user.kind === 'id' ? user.id : index}>
            {index > 0 && ', '}
            <Named value={user} />
          </span>
        ))}
        {left > 0 && ` ${texts.meaning.andMore(new Intl.NumberFormat(language).format(left))}`}
      </span>
    </li>
  )
}

function Named({ value }: { readonly value: Value | undefined }) {
  const { activities } = useTexts()
  if (value?.kind === 'code' && value.code === 'authProxy') return activities.authProxy
  if (value?.kind !== 'id') return '–'
  if (value.name === undefined) return <code>{value.id}</code>
  return <UserText text={value.name} charactersMax={60} isQuoted />
}
