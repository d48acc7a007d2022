import type { ActivityContext } from '../../../contract/define.ts'
import { requireUnusedByOthers } from '../../../contract/fields/names.ts'
import type { Tag, WithoutTimes } from '../../../contract/records/records.ts'
import { Failure, fieldRefused } from '../../../protocol/wire/failures.ts'

/** User tags and private key tags share one set of names and one limit. */
type Tagging = Pick<ActivityContext<unknown>, 'organization'>

/** Makes a tag with a name that an `unused` need has passed. */
export function newTag(
  tagName: string,
  { organization, limits, newId }: Tagging & Pick<ActivityContext<unknown>, 'limits' | 'newId'>,
): WithoutTimes<Tag> {
  const { parentId, userTags, privateKeyTags } = organization
  const tagsMax = parentId === undefined ? limits.tagsMax : limits.subOrganizationTagsMax
  if (userTags.count() + privateKeyTags.count() >= tagsMax) {
    const owner = parentId === undefined ? 'an organization' : 'a sub-organization'
    throw new Failure('LIMIT_REACHED', `${owner} has at most ${tagsMax} tags`)
  }
  return { tagId: newId(), tagName }
}

/** Renames a tag. The operation must have looked the name up; no other tag may have it. */
export function renamedTag(
  tag: Tag,
  tagName: string,
  { organization, fieldPath }: Tagging & { readonly fieldPath: string },
): Tag {
  const named = [
    ...organization.found('user_tag', 'tag_name', tagName),
    ...organization.found('private_key_tag', 'tag_name', tagName),
  ]
  requireUnusedByOthers(named, ({ tagId }) => tagId === tag.tagId, fieldPath)
  return { ...tag, tagName }
}

/** Refuses an id that is both to be added and to be removed. */
export function requireApart(removed: readonly string[], added: readonly string[], fieldPath: string): void {
  const index = removed.findIndex((id) => added.includes(id))
  if (index < 0) return
  throw fieldRefused(`${fieldPath}[${index}]`, 'the same id is to be added and to be removed')
}
