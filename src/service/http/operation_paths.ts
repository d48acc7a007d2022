import { Failure } from '../../protocol/wire/failures.ts'
import type { Request } from '../requests/request.ts'

export type OperationPaths = {
  /** Whether an operation has this path: what is no operation is refused before its body is read. */
  readonly isOperation: (path: string) => boolean
  /** The name of what the wider interface has at this path and this server has not. */
  readonly unsupportedNameAt: (path: string) => string | undefined
  /** The dialect of `/public/…`; `/hosted/public/…` always speaks `hosted`. */
  readonly dialect: Request['dialect']
}

const hostedPrefix = '/hosted'

/** Returns the operation of a path. No other spelling of a path is that path, or a proxy's rule about it would not hold. */
export function operationAt(
  path: string,
  { isOperation, dialect }: Pick<OperationPaths, 'isOperation' | 'dialect'>,
): Pick<Request, 'path' | 'dialect'> | undefined {
  if (isOperation(path)) return { path, dialect }
  const hosted = belowHosted(path)
  return hosted !== undefined && isOperation(hosted) ? { path: hosted, dialect: 'hosted' } : undefined
}

/** The refusal of a path that is no operation. Clients put their path behind a base URL, which may end with a slash. */
export function noOperation(path: string, paths: OperationPaths): Failure {
  const unsupported = paths.unsupportedNameAt(belowHosted(path) ?? path)
  if (unsupported !== undefined)
    return new Failure('OPERATION_UNSUPPORTED', `${unsupported}; see docs/compatibility.md`)
  const meant = path.replace(/\/+/g, '/').replace(/\/$/, '')
  const isMeant = operationAt(meant, paths) !== undefined
  const hint = `the path ${meant} is meant: leave further slashes out, such as one at the end of the base URL`
  return new Failure('OPERATION_UNKNOWN', isMeant ? hint : 'see /docs for those that exist')
}

function belowHosted(path: string): string | undefined {
  return path.startsWith(hostedPrefix) ? path.slice(hostedPrefix.length) : undefined
}
