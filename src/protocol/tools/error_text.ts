/** The message of an error, or the text of anything else that was thrown. */
export function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
