import { type Activities, everydayActivities } from './operations.ts'

/**
 * Whether the console asks for the passkey again, if the user logged in with one or made one since: for every activity
 * but the everyday ones, which say so in their own files. This protects a browser that was left open. It is no rule of
 * the server, where an MFA policy says the same and is enforced.
 */
export function asksForPasskey(name: keyof Activities): boolean {
  return !everydayActivities.has(name)
}
