import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

/**
 * Makes `dist` for `npm pack`: JavaScript of what the entries in `tsconfig.build.json` reach, and the assets beside it.
 * Tests and their helpers are not reached.
 */
rmSync('dist', { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
cpSync('src/service/http/assets', 'dist/service/http/assets', { recursive: true })
