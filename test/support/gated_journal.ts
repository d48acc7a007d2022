import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** From now on whatever this process writes to files by their handles waits, as on a disk that does not answer. */
export async function holdWrites(folder: string): Promise<() => void> {
  const file = await open(join(folder, 'any'), 'w')
  const handles: { write(...given: unknown[]): Promise<unknown> } = Object.getPrototypeOf(file)
  await file.close()
  const { write } = handles
  const gate = Promise.withResolvers<void>()
  handles.write = async function held(...given) {
    await gate.promise
    return write.apply(this, given)
  }
  function letThrough(): void {
    handles.write = write
    gate.resolve()
  }
  onTestFinished(letThrough)
  return letThrough
}

/** Whether it has not come to an end within a time in which it otherwise does. */
export async function isWaiting(asked: Promise<unknown>): Promise<boolean> {
  const late = Symbol('late')
  const timer = new Promise((resolve) => setTimeout(resolve, 500, late))
  return (await Promise.race([asked, timer])) === late
}
