import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { codeOf } from '../protocol/tools/error_codes.ts'

/** There is something else at the path of a file: a folder, a named pipe, a socket or a device. */
export class IrregularFile extends Error {
  override readonly name = 'IrregularFile'
  /** For messages that show the code of an error of the system. */
  readonly code = 'no regular file'

  constructor() {
    super('it is no regular file')
  }
}

/**
 * The flags to open a file for reading whose path the operator names. The opening of a named pipe would wait for its
 * writer, and the process might take no signal meanwhile.
 */
export const readingFlags = constants.O_RDONLY | constants.O_NONBLOCK

/** Opens a file to read it. Returns the descriptor. Throws `IrregularFile`, or the error of the system. */
export function openRegular(path: string): number {
  const descriptor = openNow(path)
  // Asked of the opened file, even if the path names another one by now.
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  throw new IrregularFile()
}

function openNow(path: string): number {
  try {
    return openSync(path, readingFlags)
  } catch (error) {
    throw isOfSocket(error) ? new IrregularFile() : error
  }
}

/** Whether an error of an opening says that there is a socket, or a device that does not exist. */
export function isOfSocket(error: unknown): boolean {
  return codeOf(error) === 'ENXIO'
}

/** Reads a whole file. Throws `IrregularFile`, or the error of the system. */
export function readRegular(path: string): Buffer {
  const descriptor = openRegular(path)
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Throws `IrregularFile` unless there is a file at the path, or nothing. For files that SQLite opens. */
export function refuseIrregular(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false })
  if (status !== undefined && !status.isFile()) throw new IrregularFile()
}
