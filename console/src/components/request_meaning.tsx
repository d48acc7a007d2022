import type { SectionKind } from '../../../src/contract/explanation/codes/section_kinds.ts'
import type { Explanation, Section } from '../../../src/contract/explanation/explanation.ts'
import { saysOf } from '../../../src/contract/explanation/warnings.ts'
import type { Activity } from '../api/activity.ts'
import { useTexts } from '../texts/texts.tsx'
import { JsonText } from './json_text.tsx'
import type { useExplanation } from './meaning/explanation.ts'
import { MeaningRows } from './meaning/meaning_value.tsx'
import { ErrorBox, Loading } from './states.tsx'

/** The users who asked and who decide. The content stands between the two. */
const aroundContent: readonly SectionKind[] = ['request', 'rule']

/**
 * Shows what an activity asks for, as the vault explains it, to a user who decides about it. Without an explanation, it
 * shows the request as it was stamped.
 */
export function RequestMeaning({ activity, asked, isShort = false }: RequestMeaningProps) {
  const { meaning } = useTexts()
  const { explanation, error, refetch } = asked
  if (explanation === undefined) {
    if (error === null) return <Loading />
    return (
      <>
        <ErrorBox error={error} onRetry={() => void refetch()} />
        <p className="hint">{meaning.failed}</p>
        <AsStamped activity={activity} />
      </>
    )
  }
  const { title, sections } = explanation
  if (saysOf(title).has('notExplained')) {
    return (
      <>
        <Sections sections={sections} />
        <AsStamped activity={activity} />
      </>
    )
  }
  const content = sections.filter(({ kind }) => !aroundContent.includes(kind))
  const around = sections.filter(({ kind }) => aroundContent.includes(kind))
  if (!isShort) return <Sections sections={[...content, ...around]} />
  return (
    <>
      <Sections sections={content} />
      <details className="meaning-around">
        <summary>{meaning.wayAndRule}</summary>
        <Sections sections={around} />
      </details>
    </>
  )
}

function AsStamped({ activity: { intent } }: { readonly activity: Activity }) {
  const { meaning } = useTexts()
  const [stamped = intent] = Object.values(intent)
  return <JsonText value={stamped} label={meaning.asStamped} />
}

type RequestMeaningProps = {
  readonly activity: Activity
  readonly asked: ReturnType<typeof useExplanation>
  /** Folds away who asked and who decides. */
  readonly isShort?: boolean
}

function Sections({ sections }: { readonly sections: Explanation['sections'] }) {
  const { meaning } = useTexts()
  return (
    <div className="meaning">
      {sections.map(({ kind, rows }: Section) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has fields, and a section would be one landmark of many
        <div
          key={kind}
          role="group"
          className="meaning-section"
          data-kind={kind}
          aria-label={meaning.explanation.sections[kind]}
        >
          <p className="meaning-heading" aria-hidden="true">
            {meaning.explanation.sections[kind]}
          </p>
          <MeaningRows rows={rows} />
        </div>
      ))}
    </div>
  )
}
