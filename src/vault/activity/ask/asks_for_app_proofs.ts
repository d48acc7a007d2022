import { isJsonObject, type JsonObject } from '../../../protocol/wire/json.ts'

/** Whether a request asks for app proofs. Clients put the flag beside the parameters or among them. */
export function asksForAppProofs({ generateAppProofs, parameters = null }: JsonObject): boolean {
  return generateAppProofs === true || (isJsonObject(parameters) && parameters.generateAppProofs === true)
}
