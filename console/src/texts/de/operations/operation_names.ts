import { operationsOfKeys } from './keys.ts'
import { operationsOfOrganization } from './organization.ts'
import { operationsOfPeople } from './people.ts'

/** The names of all activities and of their parameters. */
export const operationNames: Readonly<Record<string, string>> = {
  ...operationsOfPeople,
  ...operationsOfKeys,
  ...operationsOfOrganization,
}
