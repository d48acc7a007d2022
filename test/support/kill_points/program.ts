import { join } from 'node:path'
import type { Plugin } from 'vite'
import { bundledProgram, writeBundle } from '../bundle.ts'

const sources = join(import.meta.dirname, '..', '..', '..', 'src')

const wrapped: ReadonlyMap<string, string> = new Map(
  (
    [
      ['service/requests/submit.ts', 'submit.ts'],
      ['link/vault_command.ts', 'vault_command.ts'],
      ['vault/activity/record_activity.ts', 'record_activity.ts'],
      ['vault/activity/release.ts', 'release.ts'],
      ['vault/activity/confirm.ts', 'confirm.ts'],
      ['vault/books/journal/journal.ts', 'journal.ts'],
      ['vault/books/transparency/publish_log.ts', 'publish_log.ts'],
      ['service/transparency/publisher.ts', 'publisher.ts'],
    ] as const
  ).map(([original, wrapper]) => [join(sources, original), join(import.meta.dirname, wrapper)]),
)

/** Who imports a module gets its wrapper, and only that gets the module itself. */
const wraps: Plugin = {
  name: 'kill-points',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true })
    const wrapper = found === null ? undefined : wrapped.get(found.id)
    return wrapper === undefined || importer === wrapper ? found : wrapper
  },
}

/**
 * Makes the program with functions of a few modules wrapped, so that a test can kill processes when one of them comes to
 * a named point. Returns the file that Node starts. The program that users have knows nothing of it.
 */
export async function programWithKillPoints(): Promise<string> {
  return bundledProgram(await writeBundle([wraps]))
}
