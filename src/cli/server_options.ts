import type { Command } from 'commander'
import { settingGroups, settingRows } from '../service/settings/setting_rows.ts'
import { type GivenFlags, readSettings, type Settings } from '../service/settings/settings.ts'

/** One flag for each setting, from the same table as the environment variables. */
export function addServerOptions(command: Command): Command {
  command.option('--json', 'print one JSON object for each event', false)
  for (const { heading, rows } of settingGroups) {
    command.optionsGroup(`${heading}:`)
    for (const { flag, variable, description, default: fallback } of rows) {
      const isDefault = fallback === undefined ? '' : `, ${fallback} when not set`
      command.option(`--${flag} <value>`, `${description} (${variable}${isDefault})`)
    }
  }
  return command
}

export function settingsOf(options: Readonly<Record<string, unknown>>): Settings {
  const flags: Record<string, string> = {}
  for (const { flag } of settingRows) {
    const value = options[camelCase(flag)]
    if (typeof value === 'string') flags[flag] = value
  }
  return readSettings({ flags: flags as GivenFlags, environment: process.env })
}

function camelCase(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
