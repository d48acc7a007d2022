import axe from 'axe-core'
import { expect } from 'vitest'
import { type ConsolePage, desktop, setView } from './console.ts'

/** Axe looks at each page four times. */
export const soundTestMsMax = 180_000
const phone = { width: 375, height: 720, colours: 'light' } as const
const views = [desktop, { ...desktop, colours: 'dark' }, phone, { ...phone, colours: 'dark' }] as const

/** Axe finds nothing on the page, in light and dark and on a narrow screen. Leaves a picture of each. */
export async function isSound(page: ConsolePage, name: string): Promise<void> {
  await loadAxe(page)
  for (const view of views) {
    await setView(page.send, view)
    const found = await axeFindings(page, view.colours === 'dark' ? 'colours' : 'all')
    await page.picture(`${name}_${view.width}_${view.colours}`)
    expect(found, `${name} ${JSON.stringify(view)}`).toEqual([])
    // The words of a button move while it shows that its request is under way.
    const message = `${name} ${JSON.stringify(view)}`
    await expect.poll(() => cutButtons(page), { message, timeout: 10_000 }).toEqual([])
    expect(await page.evaluate(`() => document.documentElement.scrollWidth <= innerWidth`), name).toBe(true)
  }
  await setView(page.send, desktop)
}

export async function loadAxe(page: ConsolePage): Promise<void> {
  await page.evaluate(`(text) => { if (!globalThis.axe) (0, eval)(text) }`, axe.source)
}

/**
 * Resolves once two frames were drawn and nothing moves any more, but for what moves without an end, as a sign that a
 * page still loads. Throws if something moves for ten seconds.
 */
export async function untilAtRest(page: ConsolePage): Promise<void> {
  await page.evaluate(`async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const isMoving = ({ effect, playState }) => playState === 'running' && effect.getComputedTiming().endTime < Infinity
    for (const end = Date.now() + 10_000; Date.now() < end; ) {
      await frame()
      await frame()
      if (!document.getAnimations().some(isMoving)) return
    }
    const moving = document.getAnimations().filter(isMoving)
    throw new Error('these move without rest: ' + moving.map(({ effect }) => effect.target.outerHTML.slice(0, 200)))
  }`)
}

/**
 * The rules that the page breaks, each with the elements that break it. `colours`: of the rules about colours alone, for
 * a page that was looked at in others before.
 */
export async function axeFindings(page: ConsolePage, rules: 'all' | 'colours' = 'all'): Promise<readonly string[]> {
  await untilAtRest(page)
  return page.evaluate<string[]>(
    `async (limits) => {
      const { violations } = await axe.run(document, { resultTypes: ['violations'], ...limits })
      return violations.flatMap(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
    }`,
    rules === 'colours' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {},
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
