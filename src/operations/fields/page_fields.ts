import type { Page } from '../../protocol/reads.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { pageItemsDefault } from './fields.ts'

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
