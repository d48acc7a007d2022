import type { TSchema } from 'typebox'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import { parameterRows } from '../../../contract/explanation/request_tree.ts'
import { section, wholeText } from '../../../contract/explanation/values.ts'
import { oneStep, type Steps } from '../../../protocol/tools/steps.ts'

type Mailing = {
  /** The name of the operation. */
  readonly code: string
  readonly schema: TSchema
  /** The name in whose name the mail speaks. */
  readonly appName: string
  /** The parameters with that name. */
  readonly parameters: object
}

/** Explains a request for a mail by its parameters, with the name that will stand in the mail. */
export function mailContent({ code, schema, appName, parameters }: Mailing, { named }: Now): Steps<Content> {
  return oneStep(() => ({
    title: { code, values: [wholeText(appName)] },
    sections: section('parameters', parameterRows(parameters, schema, named)),
  }))
}
