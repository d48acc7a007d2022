import type { AcceptedType, ActivityOperation, Operation } from '../contract/define.ts'
import * as operationFiles from './operation_files.ts'

type Resource = { readonly name: string; readonly operations: readonly Operation[] }
type TypedOperation = { readonly operation: ActivityOperation; readonly accepted: AcceptedType }

/** By folder and name, in the order of the alphabet. */
const byFile: readonly (readonly [string, Operation])[] = Object.entries(operationFiles)

export const operations: readonly Operation[] = byFile.map(([, operation]) => operation)

/** The folders here, each with its operations. */
export const resources: readonly Resource[] = Array.from(
  Map.groupBy(byFile, ([file]) => file.replace(/\/.*/, '')),
  ([name, its]) => ({ name, operations: its.map(([, operation]) => operation) }),
)

const byPath: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.path, operation]))

const byType: ReadonlyMap<string, TypedOperation> = new Map(
  operations.flatMap((operation) =>
    operation.kind === 'activity'
      ? operation.types.map((accepted) => [accepted.type, { operation, accepted }] as const)
      : [],
  ),
)

export function findOperation(path: string): Operation | undefined {
  return byPath.get(path)
}

/** An activity's operation, with the keys and parameters that this type of it has. */
export function operationOfType(type: string): TypedOperation | undefined {
  return byType.get(type)
}
