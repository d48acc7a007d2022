import { inspect } from 'node:util'

/**
 * Key material in memory: it has an owner and an end, and no text form. `using key = …` zeroes it at the closing brace,
 * whatever happens in between; printing it shows `[secret]`, and turning it into JSON throws.
 */
export class SecretBytes implements Disposable {
  readonly #bytes: Uint8Array

  /** Takes ownership of `bytes`: they are zeroed when this is disposed. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The bytes themselves, not a copy: they turn to zero at dispose. */
  reveal(): Uint8Array {
    return this.#bytes
  }

  [Symbol.dispose](): void {
    this.#bytes.fill(0)
  }

  [inspect.custom](): string {
    return '[secret]'
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): never {
    throw new TypeError('a secret has no text form')
  }
}
