import { once } from 'node:events'

/** Sends a command and returns its result. */
export type Send = <T>(method: string, params: object) => Promise<T>

/** A browser that is driven by the DevTools protocol: JSON-RPC with events, over a WebSocket. */
export type DevTools = {
  /**
   * Opens a page, which shares no storage with others, and waits until it is loaded. Returns the function that sends commands to it. `onEvent` hears every
   * event of the page, from before it is loaded.
   */
  openTab(url: string, tab?: Tab): Promise<Send>
  /** Ends the connection, and with it the pages that it opened. */
  close(): Promise<void>
}

export type TabEvent = { readonly method: string; readonly params: Readonly<Record<string, unknown>> }

type Tab = {
  readonly onEvent?: (event: TabEvent) => void
  /** Runs before the page is loaded. */
  readonly prepare?: (send: Send) => Promise<void>
}

type Message = { readonly id?: number; readonly sessionId?: string } & Partial<TabEvent>
/** What has storage of its own, as a private window has. */
type Context = { readonly browserContextId: string }
type Answer<T> = { readonly result: T; readonly error?: { readonly message: string } }

/** `address` is what the browser prints: `ws://127.0.0.1:PORT/devtools/browser/ID`. */
export async function connectDevTools(address: string): Promise<DevTools> {
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const pending = new Map<number, PromiseWithResolvers<string>>()
  const events = new EventTarget()
  const listeners = new Map<string, (event: TabEvent) => void>()
  socket.addEventListener('message', ({ data }) => {
    const text = String(data)
    const { id, method = '', params = {}, sessionId = '' }: Message = JSON.parse(text)
    if (id !== undefined) return pending.get(id)?.resolve(text)
    events.dispatchEvent(new Event(`${sessionId} ${method}`))
    listeners.get(sessionId)?.({ method, params })
  })
  socket.addEventListener('close', () => {
    for (const { reject } of pending.values()) reject(new Error('the browser is gone'))
  })

  const contexts: Context[] = []
  let lastId = 0
  async function send<T>(method: string, params: object, sessionId?: string): Promise<T> {
    lastId += 1
    const id = lastId
    const answered = Promise.withResolvers<string>()
    pending.set(id, answered)
    socket.send(JSON.stringify({ id, method, params, sessionId }))
    const { result, error }: Answer<T> = JSON.parse(await answered.promise)
    pending.delete(id)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

  return {
    async openTab(url, { onEvent, prepare } = {}) {
      const context = await send<Context>('Target.createBrowserContext', { disposeOnDetach: true })
      contexts.push(context)
      const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank', ...context })
      const attached = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
      const sendToTab: Send = (method, params) => send(method, params, attached.sessionId)
      if (onEvent !== undefined) listeners.set(attached.sessionId, onEvent)
      await sendToTab('Page.enable', {})
      // One window of a browser has the focus, and each page needs it.
      await sendToTab('Emulation.setFocusEmulationEnabled', { enabled: true })
      await prepare?.(sendToTab)
      const loaded = once(events, `${attached.sessionId} Page.loadEventFired`)
      await sendToTab('Page.navigate', { url })
      await loaded
      return sendToTab
    },
    async close() {
      if (socket.readyState !== WebSocket.OPEN) return
      const disposed = contexts.map((context) => send('Target.disposeBrowserContext', context))
      await Promise.allSettled(disposed)
      socket.close() // the browser takes seconds to confirm that
    },
  }
}
