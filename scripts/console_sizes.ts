import { firstLoad, firstLoadBytesMax } from '../test/support/console_sizes.ts'

/** Prints what a browser loads before the console is usable, compressed as the server sends it. */
const { files, bytes } = firstLoad()
for (const { file, bytes: size } of files) process.stdout.write(`${kilobytes(size).padStart(8)}  ${file}\n`)
process.stdout.write(`${kilobytes(bytes).padStart(8)}  in all, of ${kilobytes(firstLoadBytesMax)}\n`)
if (bytes > firstLoadBytesMax) process.exitCode = 1

function kilobytes(size: number): string {
  return `${(size / 1_024).toFixed(1)} KB`
}
