/** Makes an element of the page. All texts become text nodes: what a file says is never markup. */
export function element<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  properties: Partial<HTMLElementTagNameMap[T]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[T] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

/** Names and values, in two columns. */
export function facts(rows: readonly (readonly [name: string, value: string])[]): HTMLElement {
  return element('dl', {}, ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]))
}
