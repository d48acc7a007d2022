import { inspect } from 'node:util'

/**
 * Key material in memory, which has an owner and no text form. `using key = …` zeroes the bytes at the closing brace,
 * even after a throw. Printing shows `[secret]`, and turning it into JSON throws.
 */
export class SecretBytes implements Disposable {
  readonly #bytes: Uint8Array

  /** Takes ownership of `bytes`: they are zeroed when this is disposed. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Returns the bytes themselves, not a copy: dispose zeroes them. */
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
