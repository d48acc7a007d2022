/** The database has another schema than this program makes. The message says what is different and how to mend it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}
