/** A setting is unknown, or its value or the file that it names cannot be used. The message says how to mend it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}
