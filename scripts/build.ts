import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

/**
 * Makes `dist` for `npm pack`: JavaScript of all modules that the entries in `tsconfig.build.json` reach, and the
 * assets. The entries reach no test and no helper of tests.
 */
rmSync('dist', { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript7/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
cpSync('src/service/http/assets', 'dist/service/http/assets', { recursive: true })
