import axe from 'axe-core'
import { expect } from 'vitest'
import { type ConsolePage, desktop, setView, type View } from './console.ts'

/** Axe looks at each page twice. */
export const soundTestMsMax = 180_000
const phone = { width: 375, height: 720, colours: 'light' } as const
const darkPhone = { ...phone, colours: 'dark' } as const
const views = [desktop, { ...desktop, colours: 'dark' }, phone, darkPhone] as const
/** In these axe sees all colours and all widths: what is on the page depends on its width, and not on its colours. */
export const axeViews: readonly View[] = [desktop, darkPhone]

/** Axe finds nothing on the page, in light and dark and on a narrow screen. Leaves a picture of each. */
export async function isSound(page: ConsolePage, name: string): Promise<void> {
  await loadAxe(page)
  for (const view of views) {
    await setView(page.send, view)
    if (axeViews.includes(view)) expect(await axeFindings(page), `${name} ${JSON.stringify(view)}`).toEqual([])
    await page.picture(`${name}_${view.width}_${view.colours}`)
    expect(await cutButtons(page), `${name} ${JSON.stringify(view)}`).toEqual([])
    expect(await page.evaluate(`() => document.documentElement.scrollWidth <= innerWidth`), name).toBe(true)
  }
  await setView(page.send, desktop)
}

export async function loadAxe(page: ConsolePage): Promise<void> {
  await page.evaluate(`(text) => { if (!globalThis.axe) (0, eval)(text) }`, axe.source)
}

/** The rules that the page, or an element of it, breaks, each with the elements that break it. */
export function axeFindings(page: ConsolePage, selector = 'html'): Promise<readonly string[]> {
  return page.evaluate<string[]>(
    `async (selector) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      const { violations } = await axe.run(selector, { resultTypes: ['violations'] })
      return violations.flatMap(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
    }`,
    selector,
  )
}

/** The texts of the buttons that show less than their whole text, or reach beyond the screen. */
export function cutButtons(page: ConsolePage): Promise<readonly string[]> {
  return page.evaluate<string[]>(`() => {
    const isCut = (part) => part.clientWidth > 0 && part.scrollWidth > part.clientWidth
    return [...document.querySelectorAll('button, a.mantine-Button-root, [role=tab]')]
      .filter((one) => one.checkVisibility() && !one.matches('.skip-link'))
      .filter((one) => [one, ...one.querySelectorAll('*')].some(isCut) || one.getBoundingClientRect().right > innerWidth)
      .map((one) => one.innerText.trim() || one.getAttribute('aria-label'))
  }`)
}

/** Types at the end of the expression of this label, as on a keyboard. */
export async function write(page: ConsolePage, label: string, text: string): Promise<void> {
  await page.evaluate(
    `async (label) => {
      for (const end = Date.now() + 10_000; Date.now() < end; ) {
        const field = [...document.querySelectorAll('.cm-content')].find(
          (one) => document.getElementById(one.getAttribute('aria-labelledby'))?.innerText === label,
        )
        if (field !== undefined) {
          field.focus()
          getSelection().selectAllChildren(field)
          getSelection().collapseToEnd()
          return
        }
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      throw new Error('no editor for ' + label)
    }`,
    label,
  )
  await page.send('Input.insertText', { text })
}

export async function choose(page: ConsolePage, label: string): Promise<void> {
  await page.evaluate(
    `(label) => [...document.querySelectorAll('label')].find((one) => one.innerText.trim() === label).click()`,
    label,
  )
}

export async function press(page: ConsolePage, key: string, code: number): Promise<void> {
  for (const type of ['rawKeyDown', 'keyUp']) {
    await page.send('Input.dispatchKeyEvent', { type, key, code: key, windowsVirtualKeyCode: code })
  }
}
