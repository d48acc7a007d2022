import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { makeFolder } from '../../link/make_folder.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { writeNewFile } from '../shared/credentials.ts'
import { CommandError, exitCodes } from '../shared/exit_codes.ts'
import { printResult } from '../shared/standard_output.ts'
import { isWitnessName, keyFileIn, newKeyFile, readKeyFile, verifierKeysOf } from './cosigning_keys.ts'
import { createHeads } from './kept_heads.ts'

type CreateOptions = { readonly data?: string; readonly name: string; readonly json: boolean }

/** Keys and an empty store are made together: a key without its store could cosign a second history. */
export function registerWitnessCreate(witness: Command): void {
  witness
    .command('create')
    .description('make the keys and the folder of a new witness, and print the public keys')
    .option('--data <folder>', 'the new folder')
    .requiredOption('--name <name>', 'name of its keys, such as witness.example/one', witnessName)
    .option('--json', 'print JSON', false)
    .action(async ({ data, name, json }: CreateOptions) => {
      if (data === undefined) throw new CommandError('give --data <folder>', exitCodes.usage)
      const folder = resolve(data)
      await makeFolder(folder).catch((cause) => {
        throw new CommandError(`${folder} cannot be made${codeIn(cause)}`, exitCodes.usage, { cause })
      })
      // The keys first: without them, nothing of a witness that exists is changed.
      await writeNewFile(keyFileIn(folder), newKeyFile(name))
      await createHeads(folder)
      const keys = verifierKeysOf(readKeyFile(keyFileIn(folder)))
      printResult(json ? JSON.stringify({ name, keys }) : keys.join('\n'))
    })
}

function witnessName(text: string): string {
  if (isWitnessName(text)) return text
  throw new InvalidArgumentError('It must be a host and perhaps a path, without blanks and +, of at most 255 bytes.')
}
