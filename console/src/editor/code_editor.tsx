import type { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { createEditor, type EditorOptions, setText } from './code_mirror.ts'

/** Loaded when an expression is first edited: CodeMirror is most of it. */
export function CodeEditor({ text, rules, labelledBy, describedBy, names, phrases, onChange }: EditorOptions) {
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef({ names, onChange })
  const first = useRef({ text, rules, labelledBy, describedBy, phrases })
  useEffect(() => {
    latest.current = { names, onChange }
  })
  useEffect(() => {
    if (parent.current === null) return
    const editor = createEditor(parent.current, {
      ...first.current,
      names: () => latest.current.names(),
      onChange: (changed) => latest.current.onChange(changed),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    if (view.current !== undefined) setText(view.current, text)
  }, [text])
  return <div ref={parent} />
}
