import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Verifier } from '../../src/protocol/log/notes/note.ts'
import { verifierOf } from '../../src/protocol/log/notes/signatures.ts'
import { readVerifierKey } from '../../src/protocol/log/notes/verifier_keys.ts'
import { witnessedPath } from '../../src/protocol/log/witness.ts'
import { freshFolder, launch, run } from './server_command.ts'

/** The name of each witness that `makeWitness` makes. */
export const witnessName = 'witness.example/one'

/** Verifies what a key has signed that is given as text. */
export function verifierIn(text: string): Verifier {
  const found = readVerifierKey(text)
  if (found.kind === 'malformed') throw new Error(found.reason)
  return verifierOf(found.value)
}

/** Makes the folder of a witness by `claviger witness create`. */
export async function makeWitness() {
  const data = freshFolder()
  const made = await run(['witness', 'create', '--data', data, '--name', witnessName])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  return { data, keys: made.stdout, verifiers: made.stdout.map(verifierIn) }
}

/** A file with a text. */
export function textFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-text-')), 'file')
  writeFileSync(path, text)
  return path
}

type Start = {
  readonly data: string
  /** Their keys as text. */
  readonly logs: readonly string[]
  readonly port?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs `claviger witness`. `killLaunched` ends it at the latest. */
export async function startWitness({ data, logs, port = 0, environment = {} }: Start) {
  const logsFile = textFile(logs.map((key) => `log ${key}\n`).join(''))
  const launched = launch(['witness', '--data', data, '--logs', logsFile, '--port', `${port}`], { environment })
  const url = await launched.ready
  return {
    ...launched,
    data,
    url,
    async add(body: Uint8Array | string) {
      const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body: Buffer.from(body) })
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
    },
    /** What it has cosigned last of a log, or the status if that is nothing. */
    async kept(origin = 'example.com/log') {
      const answer = await fetch(`${url}/${witnessedPath(origin)}`)
      return answer.status === 200 ? answer.text() : answer.status
    },
    async stop() {
      launched.child.kill('SIGTERM')
      return launched.ended
    },
  }
}
