import Type, { type Static } from 'typebox'
import type { Page } from '../../protocol/reads.ts'
import { type Failure, fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { optional, pageItemsDefault } from './fields.ts'
import { view } from './named.ts'

type PaginationOptions = { readonly limit?: string; readonly before?: string; readonly after?: string }

/** Refuses `before` together with `after`, which would ask for two pages. */
export function checkPagination(options: PaginationOptions | undefined): void {
  if (options?.before === undefined || options.after === undefined) return
  throw fieldInvalid('paginationOptions', 'given `before` or `after`, not both')
}

export function pageOf(options: PaginationOptions | undefined): Page {
  const { limit, before, after } = options ?? {}
  return {
    limit: limit === undefined ? pageItemsDefault : Number(limit),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

/** The place of a page in its list. The cursors are the ids of its first and last item; an empty page has none. */
export const PageInfo = view('PageInfo', {
  hasNextPage: Type.Boolean(),
  hasPreviousPage: Type.Boolean(),
  startCursor: optional(Type.String()),
  endCursor: optional(Type.String()),
})

/** The page of a short list that is at hand as a whole. Without options the whole list is one page. */
export function pageWithin<T>(
  list: readonly T[],
  idOf: (item: T) => string,
  options: PaginationOptions | undefined,
): { readonly items: readonly T[]; readonly pageInfo: Static<typeof PageInfo> } {
  const { limit, before, after } = options === undefined ? { limit: list.length } : pageOf(options)
  const cursor = after ?? before
  const place = list.findIndex((item) => idOf(item) === cursor)
  if (cursor !== undefined && place === -1) throw unknownCursor()
  const start = before === undefined ? place + 1 : Math.max(0, place - limit)
  const end = before === undefined ? Math.min(list.length, start + limit) : place
  const items = list.slice(start, end)
  const [first, last] = [items[0], items.at(-1)]
  const pageInfo = {
    hasNextPage: end < list.length,
    hasPreviousPage: start > 0,
    ...(first === undefined ? {} : { startCursor: idOf(first) }),
    ...(last === undefined ? {} : { endCursor: idOf(last) }),
  }
  return { items, pageInfo }
}

export function unknownCursor(): Failure {
  return fieldRefused('paginationOptions', 'the cursor in `after` or `before` is not an id of this list')
}
