/** `create_api_keys` and `create-api-keys` as `createApiKeys`. */
export function camelCase(name: string): string {
  return name.replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase())
}
