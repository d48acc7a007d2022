/** The process that starts others for `spawner.ts`, by the messages of its parent. */

import { type ChildProcess, spawn } from 'node:child_process'

export type Order =
  | {
      readonly kind: 'spawn'
      readonly id: number
      readonly command: string
      readonly parts: readonly string[]
      readonly cwd: string | undefined
      readonly env: NodeJS.ProcessEnv
      readonly input: string | undefined
    }
  | { readonly kind: 'kill'; readonly id: number; readonly signal: NodeJS.Signals }

export type Happening = { readonly id: number } & (
  | { readonly kind: 'started'; readonly pid: number | undefined }
  | { readonly kind: 'wrote'; readonly to: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'exit' | 'close'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
)

const children = new Map<number, ChildProcess>()
const tell = (happening: Happening) => process.connected && process.send?.(happening)

process.on('message', (order: Order) => {
  if (order.kind === 'kill') children.get(order.id)?.kill(order.signal)
  else start(order)
})

process.on('disconnect', () => {
  for (const child of children.values()) child.kill('SIGKILL')
  process.exit()
})

function start({ id, command, parts, cwd, env, input }: Extract<Order, { kind: 'spawn' }>): void {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const child = spawn(command, parts, { cwd, env, stdio: [stdin, 'pipe', 'pipe'] })
  children.set(id, child)
  tell({ id, kind: 'started', pid: child.pid })
  child.stdin?.on('error', () => {}) // It ends without reading all.
  child.stdin?.end(input)
  for (const to of ['stdout', 'stderr'] as const) {
    child[to]?.on('data', (bytes: Uint8Array) => tell({ id, kind: 'wrote', to, bytes }))
  }
  child.on('error', ({ message }) => tell({ id, kind: 'failed', message }))
  child.on('exit', (code, signal) => tell({ id, kind: 'exit', code, signal }))
  child.on('close', (code, signal) => {
    children.delete(id)
    tell({ id, kind: 'close', code, signal })
  })
}
