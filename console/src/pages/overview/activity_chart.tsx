import { Section } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { useAsk } from '../../state/queries.ts'
import { useSpoken } from '../../texts/texts.tsx'
import { activitiesOf } from '../inbox/waiting.ts'
import { byHour, type Hour, hoursShown, outcomes } from './by_hour.ts'

/** The server answers at most this many activities at once. */
const countedMax = 100

const hourWidth = 20
const barWidth = 14
const height = 96
/** Few activities make low bars, not full ones. */
const scaleMin = 4

/** The activities of the last 24 hours, by the hour in which they began and by their outcome. */
export function ActivityChart() {
  const { texts } = useSpoken()
  const { chart } = texts.overview
  const latest = useAsk('list_activities', { paginationOptions: { limit: String(countedMax) } })
  return (
    <Section title={chart.title}>
      <Answer of={latest}>
        {(answer) => {
          const activities = activitiesOf(answer)
          const hours = byHour(activities, Date.now())
          const isCut = activities.length === countedMax && sumOf(hours) === countedMax
          return (
            <figure className="chart">
              <Legend hours={hours} />
              <Bars hours={hours} />
              <Axis hours={hours} />
              <Table hours={hours} />
              {isCut && <figcaption className="hint">{chart.cut(countedMax)}</figcaption>}
            </figure>
          )
        }}
      </Answer>
    </Section>
  )
}

type Hours = { readonly hours: readonly Hour[] }

function Legend({ hours }: Hours) {
  const { chart } = useSpoken().texts.overview
  return (
    <ul className="chart-legend">
      {outcomes.map((outcome) => (
        <li key={outcome}>
          <span className="chart-mark" data-outcome={outcome} aria-hidden="true" />
          {chart.outcomes[outcome]} {hours.reduce((sum, { counts }) => sum + counts[outcome], 0)}
        </li>
      ))}
    </ul>
  )
}

function Bars({ hours }: Hours) {
  const scale = height / Math.max(scaleMin, ...hours.map(totalOf))
  return (
    <svg
      className="chart-bars"
      viewBox={`0 0 ${hoursShown * hourWidth} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {hours.map(({ startMs, counts }, index) => {
        let top = height
        return outcomes.map((outcome) => {
          const size = counts[outcome] * scale
          top -= size
          const x = index * hourWidth + (hourWidth - barWidth) / 2
          return size === 0 ? null : (
            <rect key={`${startMs} ${outcome}`} data-outcome={outcome} x={x} y={top} width={barWidth} height={size} />
          )
        })
      })}
    </svg>
  )
}

/** Every sixth hour, in the reader's zone. */
function Axis({ hours }: Hours) {
  const { language } = useSpoken()
  const format = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' })
  return (
    <div className="chart-axis" aria-hidden="true">
      {hours.flatMap(({ startMs }, index) =>
        index % 6 === 0 ? [<span key={startMs}>{format.format(startMs)}</span>] : [],
      )}
    </div>
  )
}

/** The same for a screen reader, without the hours in which nothing was asked. */
function Table({ hours }: Hours) {
  const { language, texts } = useSpoken()
  const { chart } = texts.overview
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <div className="visually-hidden">
      <table>
        <caption>{chart.title}</caption>
        <thead>
          <tr>
            <th scope="col">{chart.hour}</th>
            {outcomes.map((outcome) => (
              <th key={outcome} scope="col">
                {chart.outcomes[outcome]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hours
            .filter((hour) => totalOf(hour) > 0)
            .map(({ startMs, counts }) => (
              <tr key={startMs}>
                <th scope="row">{format.format(startMs)}</th>
                {outcomes.map((outcome) => (
                  <td key={outcome}>{counts[outcome]}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}

function totalOf({ counts }: Hour): number {
  return outcomes.reduce((sum, outcome) => sum + counts[outcome], 0)
}

function sumOf(hours: readonly Hour[]): number {
  return hours.reduce((sum, hour) => sum + totalOf(hour), 0)
}
