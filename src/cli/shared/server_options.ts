import type { Command } from 'commander'
import { camelCase } from '../../protocol/tools/camel_case.ts'
import { type Flag, secretFlags, settingGroups, settingRows, variableOf } from '../../service/settings/setting_rows.ts'
import { type GivenFlags, readSettings, type Settings } from '../../service/settings/settings.ts'

/** They name the data folder and the database. */
export const databaseFlags: ReadonlySet<Flag> = new Set(['data', 'database-url', 'database-url-file'] as const)

export function addServerOptions(command: Command): Command {
  return addSettingOptions(command, new Set(settingRows.map(({ flag }) => flag)))
}

/** One flag for each setting of `flags`, from the same table as the environment variables. */
export function addSettingOptions(command: Command, flags: ReadonlySet<Flag>): Command {
  command.option('--json', 'print one JSON object for each event', false)
  for (const { heading, rows } of settingGroups) {
    const shown = rows.filter(({ flag }) => flags.has(flag))
    if (shown.length > 0) command.optionsGroup(`${heading}:`)
    for (const { flag, variable, description, default: fallback } of shown) {
      const isDefault = fallback === undefined ? '' : `, ${fallback} when not set`
      command.option(`--${flag} <value>`, `${description} (${variable}${isDefault})`)
    }
  }
  return command
}

/** Takes secrets out of the environment, so that neither child processes nor reports of this process have them. */
export function settingsOf(options: Readonly<Record<string, unknown>>): Settings {
  const flags: Record<string, string> = {}
  for (const { flag } of settingRows) {
    const value = options[camelCase(flag)]
    if (typeof value === 'string') flags[flag] = value
  }
  const settings = readSettings({ flags: flags as GivenFlags, environment: process.env })
  for (const flag of secretFlags) delete process.env[variableOf(flag)]
  return settings
}
