import type { en } from './en.ts'

/** A language has the same names as English, and the same arguments where a text has some. */
export type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...given: infer G) => string
      ? (...given: G) => string
      : Translated<T[K]>
}

export type Texts = Translated<typeof en>
