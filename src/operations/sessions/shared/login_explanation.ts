import type { TSchema } from 'typebox'
import type { Content } from '../../../contract/explanation/content.ts'
import type { ExplainContext } from '../../../contract/explanation/explain_context.ts'
import type { Value } from '../../../contract/explanation/explanation.ts'
import { parameterRows } from '../../../contract/explanation/request_tree.ts'
import { note, row, section } from '../../../contract/explanation/shown_values.ts'
import type { OrganizationReader } from '../../../contract/readers.ts'
import type { User } from '../../../contract/records/records.ts'
import { oneStep, type Steps } from '../../../protocol/tools/steps.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

type Login = {
  /** The name of the operation. */
  readonly code: string
  readonly schema: TSchema
  /** The identity or contact by which it finds the user. */
  readonly by: Value
  readonly find: (organization: OrganizationReader) => readonly User[]
}

/** Explains a login by the user whom it would log in now, and by what it finds the user. */
export function loginContent(
  { code, schema, by, find }: Login,
  { parameters, request, now }: ExplainContext<object>,
): Steps<Content> {
  return oneStep(() => {
    const users = foundNow(find, { request, now })
    const named = users?.map(({ userId }) => now.named(userId)) ?? [note('notKnownAnyMore')]
    return {
      title: { code, values: [...(users === undefined ? [] : named), by] },
      sections: section('parameters', [
        ...named.map((user) => row('user', user)),
        ...parameterRows(parameters, schema, now.named),
      ]),
      actAs: users?.map(({ userId }) => userId),
    }
  })
}

/** The users whom a request finds now. Undefined once it has ended: others may have the contact by then. */
export function foundNow(
  find: Login['find'],
  { request, now }: Pick<ExplainContext<unknown>, 'request' | 'now'>,
): readonly User[] | undefined {
  if (!now.isBefore) return undefined
  return request instanceof Failure ? [] : find(request.organization)
}
