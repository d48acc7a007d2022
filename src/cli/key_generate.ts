import { type Command, Option } from 'commander'
import { generateKey, keyCurves } from './api_key.ts'
import { writeNewFile } from './credentials.ts'

export function registerKey(program: Command): void {
  program
    .command('key')
    .description('API keys for clients to hold')
    .command('generate')
    .description('make an API key; the public half is what an organization is told')
    .addOption(new Option('--curve <curve>', 'the curve of the key').choices(keyCurves).default('p256'))
    .option('--out <file>', 'write both halves to a new file that only you can read, and print the public one only')
    .option('--json', 'print JSON', false)
    .action(async (options) => {
      const key = await generateKey(options.curve)
      if (typeof options.out === 'string') await writeNewFile(options.out, key)
      const shown = typeof options.out === 'string' ? { publicKey: key.publicKey } : key
      if (options.json) return console.log(JSON.stringify(shown))
      console.log(`public key:  ${key.publicKey}`)
      if (typeof options.out === 'string') console.log(`written to:  ${options.out}`)
      else console.log(`private key: ${key.privateKey}   (keep it secret: whoever has it is you)`)
    })
}
