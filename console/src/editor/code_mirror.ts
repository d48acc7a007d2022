import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { EditorState, type Range } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { visibleText } from '../../../src/protocol/tools/visible_text.ts'
import { styleNonce } from '../components/nonce.ts'
import { type KnownNames, type Suggestion, suggestionsAfter } from './completions.ts'
import { codeParts, type ExpressionRules, problemIn } from './expressions.ts'

export type EditorOptions = {
  readonly text: string
  readonly rules: ExpressionRules
  /** The ids of the elements that a screen reader reads as the description of the field. */
  readonly labelledBy: string
  readonly describedBy: string
  /** Asked when something is completed. */
  readonly names: () => KnownNames
  /** The words of CodeMirror and of the checker in the language of the page, by their English ones. */
  readonly phrases: Readonly<Record<string, string>>
  readonly onChange: (text: string) => void
}

const lintDelayMs = 300
/** Characters without a shape that the editor does not mark by itself, and every blank but the usual one. */
const alsoSpecial = /\p{Bidi_Control}|\p{Default_Ignorable_Code_Point}|(?! )\p{Zs}|\u2800/u

/** An editor for one expression of the policy language. The Tab key leaves it, as any field. */
export function createEditor(parent: HTMLElement, options: EditorOptions): EditorView {
  const { text, rules, labelledBy, describedBy, names, phrases, onChange } = options
  return new EditorView({
    parent,
    doc: text,
    extensions: [
      EditorView.cspNonce.of(styleNonce()),
      EditorState.phrases.of(phrases),
      EditorView.contentAttributes.of({ 'aria-labelledby': labelledBy, 'aria-describedby': describedBy }),
      EditorView.lineWrapping,
      highlightSpecialChars({ addSpecialChars: alsoSpecial }),
      replacesSelection,
      history(),
      bracketMatching(),
      closeBrackets(),
      EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['(', '[', "'"] } }]),
      autocompletion({ icons: false, override: [(context) => completionsOf(context, rules, names())] }),
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      coloursOf(rules),
      linter((view) => diagnosticsOf(view.state.doc.toString(), options), { delay: lintDelayMs }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString())
      }),
    ],
  })
}

/**
 * Puts typed text in the place of a selection by itself. Chromium would give it the looks of what it replaces by a style
 * in the page, which the Content-Security-Policy blocks and reports.
 */
const replacesSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data: text, inputType, isComposing } = event
    const selected = getSelection()
    if (text === null || isComposing || inputType !== 'insertText' || selected?.type !== 'Range') return false
    const range = selected.getRangeAt(0)
    const from = view.posAtDOM(range.startContainer, range.startOffset)
    const to = view.posAtDOM(range.endContainer, range.endOffset)
    const insert = () =>
      view.state.update({
        changes: { from, to, insert: text },
        selection: { anchor: from + text.length },
        userEvent: 'input.type',
        scrollIntoView: true,
      })
    event.preventDefault()
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})

/** Replaces the text, unless it is that already. */
export function setText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
}

function completionsOf(
  context: CompletionContext,
  { kind, isStateless }: ExpressionRules,
  names: KnownNames,
): CompletionResult | null {
  const before = context.state.sliceDoc(0, context.pos)
  const found = suggestionsAfter(before, { kind, names })
  if (found === undefined) return null
  const isBegun =
    found.from < context.pos || before.endsWith('.') || found.options.some(({ kind: of }) => of === 'value')
  if (!isBegun && !context.explicit) return null
  const options = found.options.filter(({ label }) => !(isStateless && ['controls', 'spent'].includes(label)))
  return { from: found.from, options: options.map(completionOf), validFor: /^[\w-]*$/ }
}

/** An id is found by the name of its thing too, which stands first. */
function completionOf({ label, detail, kind }: Suggestion) {
  const type = kind
  if (kind === 'value' && detail !== undefined)
    return { label: detail, displayLabel: visibleText(detail).text, detail: label, apply: label, type }
  return { label, type, ...(detail === undefined ? {} : { detail }) }
}

function diagnosticsOf(text: string, { rules, phrases }: EditorOptions): readonly Diagnostic[] {
  const problem = problemIn(text, rules, phrases)
  if (problem === undefined) return []
  const { start, end, message } = problem
  return [{ from: start, to: end, severity: 'error', message }]
}

function coloursOf({ kind }: ExpressionRules) {
  const decorate = (view: EditorView): DecorationSet =>
    Decoration.set(
      codeParts(view.state.doc.toString(), kind).map(
        (part): Range<Decoration> => Decoration.mark({ class: `code-${part.kind}` }).range(part.start, part.end),
      ),
    )
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = decorate(view)
      }
      update({ docChanged, view }: ViewUpdate) {
        if (docChanged) this.decorations = decorate(view)
      }
    },
    { decorations: ({ decorations }) => decorations },
  )
}
