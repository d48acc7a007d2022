import { type Command, Option } from 'commander'
import { type GeneratedKey, generateKey, type KeyCurve, keyCurves } from './shared/api_key.ts'
import { writeNewFile } from './shared/credentials.ts'
import { uuid } from './shared/option_values.ts'
import { printResult } from './shared/standard_output.ts'

type KeyOptions = {
  readonly curve: KeyCurve
  readonly out?: string
  readonly organizationId?: string
  readonly apiBaseUrl: string
  readonly json: boolean
}

export function registerKey(program: Command): void {
  program
    .command('key')
    .description('API keys for clients to hold')
    .command('generate')
    .description('make an API key; the public half is what an organization is told')
    .addOption(new Option('--curve <curve>', 'the curve of the key').choices(keyCurves).default('p256'))
    .option(
      '--out <file>',
      'write what `request --credentials` takes to a new file that only you can read, and print the public half only',
    )
    .option('--organization-id <id>', 'for the file: the organization of the key', uuid)
    .option('--api-base-url <url>', 'for the file: the server', 'http://127.0.0.1:8787')
    .option('--json', 'print JSON', false)
    .action(async (options: KeyOptions) => {
      const key = await generateKey(options.curve)
      if (options.out === undefined) return print(key, options)
      await writeNewFile(options.out, credentialsOf(key, options))
      if (options.json) return printResult(JSON.stringify({ publicKey: key.publicKey }))
      printResult(`public key:  ${key.publicKey}`)
      const missing = options.organizationId === undefined ? '   (add the organizationId when you know it)' : ''
      printResult(`written to:  ${options.out}${missing}`)
    })
}

function print(key: GeneratedKey, { json }: KeyOptions): void {
  const { publicKey, privateKey } = key
  if (json) printResult(JSON.stringify(key))
  else printResult(`public key:  ${publicKey}\nprivate key: ${privateKey}   (keep it secret: whoever has it is you)`)
}

/** The members that `readCredentials` reads. The curve stands there where `request` cannot stamp with it. */
function credentialsOf(
  { publicKey, privateKey }: GeneratedKey,
  { curve, organizationId, apiBaseUrl }: KeyOptions,
): object {
  return {
    apiBaseUrl,
    organizationId,
    ...(curve === 'p256' ? {} : { curve }),
    apiPublicKey: publicKey,
    apiPrivateKey: privateKey,
  }
}
