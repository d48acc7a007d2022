import { setImmediate } from 'node:timers/promises'

/** A process, which can end in the middle of its work. Its promises then never settle. */
export type Life = { isOver: boolean }

type Gate = {
  readonly name: string
  readonly life: Life
  /** The step from which the gate may open. Before it the gate opens only if there is no other. */
  readonly fromStep: number
  readonly open: () => void
  readonly onEnd: () => void
}

/** One gate in `slowOneIn` is slow, and waits for at most `slowStepsMax` steps. */
const slowOneIn = 10
const slowStepsMax = 80

/** A random source that its seed repeats: xorshift32. */
export type Chance = {
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  /** True with this probability. */
  happens(probability: number): boolean
  pick<T>(from: readonly T[]): T
  bytes(size: number): Uint8Array
}

export function createChance(seed: number): Chance {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1

  function next(): number {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }

  for (let count = 0; count < 8; count += 1) next()
  const below = (end: number) => next() % end
  return {
    below,
    happens: (probability) => next() < probability * 2 ** 32,
    pick(from) {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
    bytes: (size) => Uint8Array.from({ length: size }, () => below(256)),
  }
}

/**
 * Decides which concurrent task goes on. All of them wait at gates, and one gate opens at a time. A life may end
 * between two gates.
 */
export type Schedule = {
  /** Waits for a turn. `onEnd` is called if the life ends before. */
  pass(name: string, life: Life, onEnd?: () => void): Promise<void>
  /** Opens one gate and waits until nothing moves any more. Undefined: nothing waits at a gate. */
  step(): Promise<string | undefined>
  end(life: Life): void
}

export function createSchedule(chance: Pick<Chance, 'below' | 'pick'>): Schedule {
  let gates: Gate[] = []
  let steps = 0
  return {
    pass(name, life, onEnd = () => {}) {
      return new Promise((open) => {
        if (life.isOver) onEnd()
        else
          gates.push({
            name,
            life,
            open,
            onEnd,
            fromStep: steps + (chance.below(slowOneIn) === 0 ? chance.below(slowStepsMax) : 0),
          })
      })
    },

    async step() {
      if (gates.length === 0) await setImmediate()
      if (gates.length === 0) return undefined
      steps += 1
      const ready = gates.filter(({ fromStep }) => fromStep <= steps)
      const gate = chance.pick(ready.length === 0 ? gates : ready)
      gates = gates.filter((other) => other !== gate)
      gate.open()
      await setImmediate()
      return gate.name
    },

    end(life) {
      life.isOver = true
      const ended = gates.filter((gate) => gate.life === life)
      gates = gates.filter((gate) => gate.life !== life)
      for (const { onEnd } of ended) onEnd()
    },
  }
}
