import type { Activity } from '../../api/activity.ts'
import { Section } from '../../components/page_frame.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Secret, type SecretKind } from './secret.tsx'

const kinds: ReadonlyMap<string, SecretKind> = new Map([
  ['ACTIVITY_TYPE_EXPORT_WALLET', 'wallet'],
  ['ACTIVITY_TYPE_EXPORT_PRIVATE_KEY', 'privateKey'],
])

/** The secret of an export that was asked for in this browser and had to wait for approvals. */
export function Exported({ activity: { type, intent, result } }: { readonly activity: Activity }) {
  const { secrets } = useTexts()
  const kind = kinds.get(type)
  const targetPublicKey = textIn(intent, 'targetPublicKey')
  const exportBundle = textIn(result, 'exportBundle')
  if (kind === undefined || targetPublicKey === undefined || exportBundle === undefined) return null
  return (
    <Section title={secrets.export}>
      <Secret of={{ kind, targetPublicKey, exportBundle }} />
    </Section>
  )
}

/** A text in the only member of an intent or a result. */
function textIn(outer: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const [inner] = Object.values(outer)
  const text = typeof inner === 'object' && inner !== null ? Object.entries(inner).find(([key]) => key === name) : []
  return typeof text?.[1] === 'string' ? text[1] : undefined
}
