import { Unreachable } from './server_error.ts'

/** A log as the server lists it to everybody. */
export type ListedLog = { readonly origin: string; readonly keys: readonly string[]; readonly path: string }

export async function listedLogs(): Promise<readonly ListedLog[]> {
  const { logs } = JSON.parse(await textAt('/log/')) as { logs: ListedLog[] }
  return logs
}

/** The text of a public file of a log. */
export async function textAt(path: string): Promise<string> {
  const answer = await fetch(path, { credentials: 'omit' }).catch(() => undefined)
  if (answer?.ok !== true) throw new Unreachable()
  return answer.text()
}
