import { inspect } from 'node:util'

/**
 * Key material in memory, which has an owner and no text form. `using key = …` zeroes the bytes at the closing brace,
 * even after a throw. Printing shows `[secret]`, and turning it into JSON throws.
 */
export class SecretBytes implements Disposable {
  readonly #bytes: Uint8Array

  /** Takes ownership of `bytes`: they are zeroed when this is disposed. */
  constructor(bytes: Uint8Array) {
    // `slice` of a Buffer is no copy: whoever disposed of such a slice would zero these bytes too.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
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

/** Returns one secret of these parts, which are copied. */
export function joinedSecret(...parts: readonly Uint8Array[]): SecretBytes {
  // Not `Buffer.concat`, whose small results lie in a pool that others share.
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return new SecretBytes(whole)
}
