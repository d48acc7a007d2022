import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Writes a generated file, formatted. With `--check` it writes nothing, and the process exits 1 when the file is stale.
 */
export function writeGenerated(path: string, text: string): void {
  const formatted = execFileSync('biome', ['check', '--write', `--stdin-file-path=${path}`], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
  if (!process.argv.includes('--check')) {
    writeFileSync(path, formatted)
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== formatted) {
    process.stderr.write(`${path} is stale: run \`npm run generate\`\n`)
    process.exitCode = 1
  }
}
