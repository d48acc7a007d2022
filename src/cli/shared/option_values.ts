import { InvalidArgumentError } from 'commander'
import { baseUrlOf } from '../../protocol/wire/base_url.ts'
import { isUuid } from '../../protocol/wire/identifiers.ts'

/** Reads a whole number within the bounds, for an option of a command. */
export function wholeNumber({ min, max }: { readonly min: number; readonly max: number }): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^[0-9]{1,9}$/.test(text) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** Reads the id of an organization or a user. A placeholder that was left in is none. */
export function uuid(text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  throw new InvalidArgumentError('It must be a UUID.')
}

/** Reads the address of a server; without a slash at its end. */
export function serverAddress(text: string): string {
  const url = baseUrlOf(text)
  if (url !== undefined) return url
  throw new InvalidArgumentError('It must be an http or https address, without a user, a query or a fragment.')
}
