import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingRows } from '../../src/service/settings/setting_rows.ts'
import { bundledProgram } from '../support/bundle.ts'
import { repositoryFolder } from '../support/running_server.ts'

/** The files of deploy/compose, held against the code, the image and each other. No container runs here. */

type Service = {
  readonly extends?: { readonly file: string; readonly service: string }
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string }
  readonly image?: string
  readonly user?: string
  readonly network_mode?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | null>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
}
type ComposeFile = {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets?: Readonly<Record<string, { readonly file?: string }>>
  readonly volumes?: Readonly<Record<string, unknown>>
  readonly networks?: Readonly<Record<string, unknown>>
}

const folder = join(repositoryFolder, 'deploy/compose')
const text = (name: string) => readFileSync(join(folder, name), 'utf8')
const read = (name: string): ComposeFile => parse(text(name), { merge: true })

const names = globSync('*.yaml', { cwd: folder }).filter((name) => name !== 'parts.yaml')
const dockerfile = text('Dockerfile')
const variables = new Set(settingRows.map(({ variable }) => variable))

/** The services of a file with what they take from parts.yaml. */
function servicesOf(name: string): readonly (readonly [string, Service])[] {
  return Object.entries(read(name).services).map(([key, service]) => {
    const base = service.extends === undefined ? {} : read(service.extends.file).services[service.extends.service]
    expect(base, `${name}: ${key}`).toBeDefined()
    return [key, { ...base, ...service, environment: { ...base?.environment, ...service.environment } }]
  })
}

test('there is one file for each set-up of docs/operate/scale.md, which names it', () => {
  expect(names.toSorted()).toEqual(['many_nodes.yaml', 'one_node.yaml', 'two_nodes.yaml'])
  const page = readFileSync(join(repositoryFolder, 'docs/operate/scale.md'), 'utf8')
  for (const name of names) expect(page).toContain(name)
})

describe.each(names)('%s', (name) => {
  const { secrets = {}, volumes = {}, networks = {} } = read(name)
  const services = servicesOf(name)

  test('locks every container, and none can gain a right', () => {
    for (const [key, service] of services) {
      expect(service, key).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
  })

  test('names settings, commands and flags that exist', () => {
    const programs = services.filter(([, { image }]) => image === 'claviger')
    expect(programs.length).toBeGreaterThanOrEqual(2)
    for (const [key, { command = [], environment = {} }] of programs) {
      for (const variable of Object.keys(environment)) expect(variables, `${key}: ${variable}`).toContain(variable)
      const [verb = '', ...flags] = command
      const ran = spawnSync(process.execPath, [bundledProgram(), verb, '--help'], { cwd: repositoryFolder })
      expect(ran.status, verb).toBe(0)
      for (const flag of flags) expect(ran.stdout.toString(), key).toContain(`  ${flag.split('=')[0]} <`)
    }
  })

  test('declares what its services use, and its services use what it declares', () => {
    const used = (of: (service: Service) => readonly string[]) =>
      [...new Set(services.flatMap(([, service]) => of(service)))].toSorted()
    expect(used(({ secrets = [] }) => secrets)).toEqual(Object.keys(secrets).toSorted())
    expect(used(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''))).toEqual(
      Object.keys(volumes).toSorted(),
    )
    const joined = used(({ networks = [] }) => (Array.isArray(networks) ? networks : Object.keys(networks)))
    expect(joined.filter((network) => network !== 'default')).toEqual(
      Object.keys(networks).filter((network) => network !== 'default'),
    )
    const depended = used(({ depends_on = {} }) => Object.keys(depends_on))
    for (const key of depended) expect(services.map(([other]) => other)).toContain(key)
  })

  test('gives each vault a user of its own, no network, and a socket that one server shares', () => {
    const vaults = services.filter(([key]) => key.startsWith('vault'))
    const servers = services.filter(([key]) => key.startsWith('server'))
    expect(vaults.map(([key]) => key.replace('vault', 'server'))).toEqual(servers.map(([key]) => key))
    for (const [index, [, vault]] of vaults.entries()) {
      expect(vault).toMatchObject({ user: 'claviger-vault:claviger', network_mode: 'none', secrets: ['passphrase'] })
      const server = servers[index]?.[1]
      const shared = vault.volumes?.filter((volume) => server?.volumes?.includes(volume))
      expect(shared).toEqual([expect.stringMatching(/^socket(-\w+)?:\/run\/claviger-vault$/)])
      expect(server?.secrets).not.toContain('passphrase')
    }
  })

  test('publishes to the loopback alone unless its environment says otherwise', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports)
    expect(published).toHaveLength(1)
    expect(published[0]).toMatch(/^(127\.0\.0\.1|\$\{ADDRESS:-127\.0\.0\.1\}):\$\{PORT:-8787\}:8787$/)
  })

  test('has its secrets in files that make_secrets.sh makes for the user of the container', () => {
    for (const [secret, { file }] of Object.entries(secrets)) {
      expect(file).toBe(`secrets/${secret}`)
      const [, owner] = new RegExp(`-o (\\d+) /dev/stdin ${file}$`, 'm').exec(text('make_secrets.sh')) ?? []
      expect(dockerfile, secret).toContain(`--uid ${owner} `)
    }
    expect(text('.gitignore').trim()).toBe('secrets/')
    const ignored = readFileSync(join(repositoryFolder, '.dockerignore'), 'utf8').trim().split('\n')
    expect(ignored.at(-1)).toBe('deploy/compose/secrets')
    expect(text(name) + dockerfile).not.toMatch(/passw\w*:? *[=:] *\w|:\/\/\w+:[^/@\s]+@/i)
  })

  test('builds images from targets and files that exist', () => {
    for (const [key, { build }] of services) {
      expect(build, key).toBeDefined()
      expect(join(folder, build?.context ?? '')).toBe(join(repositoryFolder))
      expect(join(repositoryFolder, build?.dockerfile ?? '')).toBe(join(folder, 'Dockerfile'))
      expect(dockerfile).toContain(` AS ${build?.target}\n`)
    }
  })
})

test('the Dockerfile copies files that exist and that .dockerignore lets through, and ends as another user than root', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files = '']) => files.split(' '))
  const ignored = readFileSync(join(repositoryFolder, '.dockerignore'), 'utf8').split('\n')
  for (const file of copied.filter((one) => one !== '.')) {
    expect(existsSync(join(repositoryFolder, file)), file).toBe(true)
    const top = dirname(file) === '.' ? file : file.split('/')[0]
    expect(ignored).toContain(`!${top}`)
  }
  const targets = dockerfile.split(/^FROM base AS /m).slice(1)
  expect(targets.map((target) => /^(\w+)$/m.exec(target)?.[1])).toEqual(['claviger', 'database', 'proxy'])
  for (const target of targets) expect(target).toMatch(/^USER (?!root)\w+$/m)
})

test('what the package needs to be packed is let through', () => {
  const { files } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8'))
  const ignored = readFileSync(join(repositoryFolder, '.dockerignore'), 'utf8').split('\n')
  const needed = files.filter((file: string) => file !== 'dist').map((file: string) => `!${file.split('/')[0]}`)
  for (const entry of [...needed, '!src', '!scripts/build.ts']) expect(ignored).toContain(entry)
})
