import './editor.css'
import { useDebouncedValue } from '@mantine/hooks'
import { lazy, Suspense, useId } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { ExpressionText } from './expression_text.tsx'
import { type ExpressionRules, problemIn } from './expressions.ts'
import { useKnownNames } from './known_names.ts'

const CodeEditor = lazy(async () => ({ default: (await import('./code_editor.tsx')).CodeEditor }))

const settledMs = 300

/** A field for one expression, with the problem of its text below it, at the column where it is. */
export function ExpressionField({ label, hint, rules, text, onChange }: ExpressionFieldProps) {
  const { editor } = useTexts().policies
  const names = useKnownNames()
  const [labelId, belowId] = [useId(), useId()]
  const [settled] = useDebouncedValue(text, settledMs)
  const problem = problemIn(settled, rules, editor.phrases)
  const shown = problem !== undefined && settled === text ? problem : undefined
  return (
    <div className="expression-field" data-wrong={shown !== undefined}>
      <span className="expression-label" id={labelId}>
        {label}
      </span>
      <div className="expression-editor">
        <Suspense
          fallback={
            <div className="editor-waits">{text !== '' && <ExpressionText text={text} kind={rules.kind} />}</div>
          }
        >
          <CodeEditor
            text={text}
            rules={rules}
            labelledBy={labelId}
            describedBy={belowId}
            names={() => names}
            phrases={editor.phrases}
            onChange={onChange}
          />
        </Suspense>
      </div>
      <div id={belowId} className="expression-below">
        {shown === undefined && <p className="expression-hint">{hint}</p>}
        <p className="expression-problem" role="status">
          {shown !== undefined && (
            <>
              <strong>{editor.column(shown.start + 1)}</strong> {shown.message}
            </>
          )}
        </p>
      </div>
    </div>
  )
}

type ExpressionFieldProps = {
  readonly label: string
  readonly hint: string
  readonly rules: ExpressionRules
  readonly text: string
  readonly onChange: (text: string) => void
}
