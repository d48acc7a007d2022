/**
 * Loaded into each process of a server by `node --import`, which only the command of that process can say. Functions of
 * a few modules are wrapped, so that a test can kill processes when one of them comes to a named point. The program
 * itself knows nothing of it.
 */
import { registerHooks } from 'node:module'

const wrapped: ReadonlyMap<string, string> = new Map(
  (
    [
      ['service/submit.ts', 'submit.ts'],
      ['link/vault_command.ts', 'vault_command.ts'],
      ['vault/activity/record_activity.ts', 'record_activity.ts'],
      ['vault/activity/release.ts', 'release.ts'],
    ] as const
  ).map(([original, wrapper]) => [
    new URL(`../../../src/${original}`, import.meta.url).href,
    new URL(wrapper, import.meta.url).href,
  ]),
)

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const wrapper = wrapped.get(found.url)
    return wrapper === undefined || context.parentURL === wrapper ? found : { ...found, url: wrapper }
  },
})
