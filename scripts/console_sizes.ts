import { editorBytesMax, editorLoad, firstLoad, firstLoadBytesMax } from '../test/support/console_sizes.ts'

/** Prints what a browser loads before the console is usable, and for the editor, compressed as the server sends it. */
for (const [load, bytesMax] of [
  [firstLoad(), firstLoadBytesMax],
  [editorLoad(), editorBytesMax],
] as const) {
  for (const { file, bytes } of load.files) process.stdout.write(`${kilobytes(bytes).padStart(8)}  ${file}\n`)
  process.stdout.write(`${kilobytes(load.bytes).padStart(8)}  in all, of ${kilobytes(bytesMax)}\n\n`)
  if (load.bytes > bytesMax) process.exitCode = 1
}

function kilobytes(size: number): string {
  return `${(size / 1_024).toFixed(1)} KB`
}
