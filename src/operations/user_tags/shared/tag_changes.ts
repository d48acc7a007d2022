import { changesContent, namedList, textChange } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Row } from '../../../contract/explanation/explanation.ts'
import { namedInTitle, row, tree } from '../../../contract/explanation/shown_values.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'

type Tagging = {
  readonly code: string
  readonly tagId: string
  readonly tagName: string | undefined
  readonly newName: string | undefined
  readonly addedIds: readonly string[]
  readonly removedIds: readonly string[]
}

/** Explains a change of a tag: its name, and what gets it or loses it. */
export function explainTag({ code, tagId, tagName, newName, addedIds, removedIds }: Tagging, now: Now): Steps<Content> {
  const moved = (label: string, ids: readonly string[]): readonly Row[] => {
    const shown = ids.length === 0 ? undefined : namedList(ids, now)
    return shown === undefined ? [] : [row(label, shown)]
  }
  return changesContent(now, {
    code,
    subject: [now.named(tagId)],
    rows: [row('tag', now.named(tagId)), ...moved('added', addedIds), ...moved('removed', removedIds)],
    changes: { name: textChange(tagName, newName) },
  })
}

type Deleting = {
  readonly code: string
  readonly tagIds: readonly string[]
  /** The users or private keys that may have the tags. */
  readonly tagged: readonly { readonly id: string; readonly tagIds: readonly string[] }[]
}

/** Explains a deletion of tags, and who or what loses each of them. */
export function explainDeletedTags({ code, tagIds, tagged }: Deleting, now: Now): Steps<Content> {
  return changesContent(now, {
    code,
    subject: namedInTitle(tagIds.map((id) => now.named(id))),
    rows: tagIds.map((tagId) => {
      const losing = tagged.filter((one) => one.tagIds.includes(tagId)).map(({ id }) => id)
      return row(
        'deleted',
        tree({ tag: now.named(tagId), takenFrom: now.isBefore ? namedList(losing, now) : undefined }),
      )
    }),
  })
}
