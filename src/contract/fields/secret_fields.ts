import type { TSchema } from 'typebox'

const isSecret = Symbol('secret')

/**
 * The schema of a parameter that is a secret, a ciphertext or a proof that only a machine can read. People are shown its
 * name alone. The key of the mark is a symbol: no document shows it.
 */
export function secret<T extends TSchema>(schema: T): T {
  const mark = { [isSecret]: { value: true, enumerable: true } }
  return Object.create(Object.getPrototypeOf(schema), { ...Object.getOwnPropertyDescriptors(schema), ...mark })
}

/** Whether people see only the name of a parameter with this schema. */
export function isSecretField(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, isSecret)
}
