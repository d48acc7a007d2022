import type { TSchema } from 'typebox'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import { parameterRows } from '../../../contract/explanation/request_tree.ts'
import { section, text, wholeText } from '../../../contract/explanation/shown_values.ts'
import type { User } from '../../../contract/records/records.ts'
import { oneStep, type Steps } from '../../../protocol/tools/steps.ts'

type Mailing = {
  /** The name of the operation. */
  readonly code: string
  readonly schema: TSchema
  /** The name in whose name the mail speaks. */
  readonly appName: string
  /** The parameters with that name. */
  readonly parameters: object
  /** The address, and the users who get in by it, where the mail is a way in. */
  readonly wayIn?: { readonly contact: string; readonly users: readonly User[] | undefined }
}

/** Explains a request for a mail by its parameters, with the name that will stand in the mail. */
export function mailContent({ code, schema, appName, parameters, wayIn }: Mailing, now: Now): Steps<Content> {
  const namedUsers = wayIn?.users?.map(({ userId }) => now.named(userId)) ?? []
  return oneStep(() => ({
    title: { code, values: [...namedUsers, ...(wayIn === undefined ? [] : [text(wayIn.contact)]), wholeText(appName)] },
    sections: section('parameters', parameterRows(parameters, schema, now.named)),
    actAs: wayIn?.users?.map(({ userId }) => userId),
  }))
}
