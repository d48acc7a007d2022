import type { Activity } from '../api/activity.ts'
import { useTexts } from '../texts/texts.tsx'
import { JsonText } from './json_text.tsx'

/**
 * What an activity asks for, for whoever decides about it. One place: today it shows the parameters as they were
 * stamped, and it is where an explanation by the vault belongs.
 */
export function RequestMeaning({ activity }: { readonly activity: Activity }) {
  const { request } = useTexts().activities.detail
  const [intent] = Object.values(activity.intent)
  return <JsonText value={intent ?? activity.intent} label={request} />
}

/** `ACTIVITY_TYPE_CREATE_WALLET_V2` as people say it: `Create wallet`. */
export function typeName(type: string): string {
  const words = type
    .replace(/^ACTIVITY_TYPE_/, '')
    .replace(/_V\d+$/, '')
    .toLowerCase()
    .replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
