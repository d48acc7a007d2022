import type { Command } from 'commander'
import { settingRows } from '../service/setting_rows.ts'
import { type GivenFlags, readSettings, type Settings } from '../service/settings.ts'

/** One flag for each setting, from the same table as the environment variables. */
export function addServerOptions(command: Command): Command {
  for (const { flag, variable, description, default: fallback } of settingRows) {
    const isDefault = fallback === undefined ? '' : `, ${fallback} when not set`
    command.option(`--${flag} <value>`, `${description} (${variable}${isDefault})`)
  }
  return command.option('--json', 'print one JSON object for each event', false)
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
