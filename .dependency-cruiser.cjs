/** Who may import whom. The folders' order is protocol, policy, contract, then link and operations, then deciding, then vault and service, then cli. */
const tests = '\\.test\\.ts$'

/** Pure folders: the same input gives the same output, so neither clock nor file nor socket. */
const impureModules =
  '^(node:)?(fs|fs/promises|net|tls|http|https|http2|dgram|dns|child_process|worker_threads|cluster|os|process|timers|timers/promises|sqlite|readline|repl|inspector)$'

/** What the vault's process may load from npm; each has its decision record. */
const vaultPackages = '^(@noble/curves|@noble/hashes|@scure/base|@scure/bip39|cborg|jose|secp256k1|typebox)(/|$)'

/** The rooms of these folders, each of which knows only those before it. */
const rooms = {
  'src/deciding': ['organization', 'caller', 'rules', 'votes', 'changes'],
  'src/vault': ['keys', 'books', 'outside', 'state', 'caller', 'rules', 'activity', 'process'],
  'src/service': [
    ...['process', 'turns', 'store', 'vault', 'transparency', 'delivery', 'settings', 'requests', 'http', 'admin'],
  ],
  'console/src': ['texts', 'stamping', 'secrets', 'api', 'session', 'state', 'components', 'editor', 'pages', 'app'],
}

module.exports = {
  forbidden: [
    ...Object.entries(rooms).flatMap(([part, names]) =>
      names.map((room, index) => ({
        name: `${room}-of-${part}-knows-no-room-above-it`,
        severity: 'error',
        from: { path: `^${part}/${room}/`, pathNot: tests },
        to: { path: `^${part}/((main|start|vault_opener)\\.tsx?|(${names.slice(index + 1).join('|')})/)` },
      })),
    ),
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'protocol-imports-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { path: '^src/(?!protocol/)' },
    },
    {
      name: 'policy-imports-protocol-only',
      severity: 'error',
      from: { path: '^src/policy/' },
      to: { path: '^src/(?!policy/|protocol/)' },
    },
    {
      name: 'the-contract-imports-policy-and-protocol-only',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: tests },
      to: { path: '^src/(?!contract/|policy/|protocol/)' },
    },
    {
      name: 'operations-import-the-contract-policy-and-protocol-only',
      severity: 'error',
      from: { path: '^src/operations/', pathNot: tests },
      to: { path: '^src/(?!operations/|contract/|policy/|protocol/)' },
    },
    {
      // The command line decides again by it what a vault has decided, without a vault.
      name: 'deciding-imports-what-is-pure-only',
      severity: 'error',
      from: { path: '^src/deciding/', pathNot: tests },
      to: { path: '^src/(?!deciding/|operations/|contract/|policy/|protocol/)' },
    },
    {
      name: 'link-knows-neither-side',
      severity: 'error',
      from: { path: '^src/link/', pathNot: tests },
      to: { path: '^src/(?!link/|contract/|protocol/)' },
    },
    {
      name: 'one-operation-never-imports-another',
      severity: 'error',
      from: { path: '^src/operations/', pathNot: `^src/operations/operation_files\\.ts$|${tests}` },
      to: { path: '^src/operations/[^/]+/[^/]+\\.ts$' },
    },
    {
      // It spends the token of an attested stamp. A draft from elsewhere would allow a second use.
      name: 'one-file-makes-the-drafts-of-requests',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/vault/activity/(carry_out/draft_of|make_organization)\\.ts$|${tests}` },
      to: { path: '^src/vault/state/draft/draft\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-tables-of-votes-are-pure',
      severity: 'error',
      from: { path: '^src/deciding/votes/tables/', pathNot: tests },
      to: { pathNot: '^src/deciding/votes/tables/', dependencyTypesNot: ['type-only'] },
    },
    ...['ask', 'carry_out', 'tell'].map((stage) => ({
      name: `the-stage-${stage}-knows-no-other-stage`,
      severity: 'error',
      from: { path: `^src/vault/activity/${stage}/`, pathNot: tests },
      to: { path: `^src/vault/activity/(?!${stage}/)[^/]+/`, dependencyTypesNot: ['type-only'] },
    })),
    {
      name: 'a-listener-knows-no-other-one',
      severity: 'error',
      from: { path: '^src/vault/activity/tell/', pathNot: `/listeners\\.ts$|${tests}` },
      to: { path: '^src/vault/activity/tell/(?!listener\\.ts|activity_viewer\\.ts)' },
    },
    {
      name: 'only-drafts-seal-changes',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/vault/state/draft/draft\\.ts$|${tests}` },
      to: { path: '^src/vault/state/draft/changes\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-vault-imports-neither-service-nor-cli',
      severity: 'error',
      from: { path: '^src/vault/', pathNot: tests },
      to: { path: '^src/(service|cli)/' },
    },
    {
      name: 'the-service-knows-nothing-of-the-vault-and-decides-nothing',
      severity: 'error',
      from: { path: '^src/service/', pathNot: tests },
      to: { path: '^src/(vault|deciding)/' },
    },
    {
      name: 'the-service-does-not-import-the-cli',
      severity: 'error',
      from: { path: '^src/service/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'the-command-line-knows-nothing-of-the-vault-and-no-policy',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: tests },
      to: { path: '^src/(vault|policy)/' },
    },
    {
      name: 'nothing-of-the-server-imports-the-console',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^console/' },
    },
    {
      // Pure code that runs in a page. What it may say of the operations is in the generated `console/src/api/operations.ts`.
      name: 'the-console-takes-of-the-server-what-runs-in-a-page',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '^src/(?!protocol/|policy/language/|contract/(fields/|explanation/([a-z_]+\\.ts$|codes/|texts/)))|^(test|bench|scripts)/',
        pathNot: tests,
      },
    },
    {
      name: 'the-console-takes-nothing-of-node',
      severity: 'error',
      from: { path: '^console/src/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'src-imports-no-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'pure-folders-do-no-io',
      severity: 'error',
      from: { path: '^src/(protocol|policy|contract|operations|deciding)/', pathNot: tests },
      to: { path: impureModules },
    },
    {
      name: 'the-vault-opens-no-connection-and-no-database',
      severity: 'error',
      from: {
        path: '^src/vault/',
        pathNot: `^src/vault/(process/(run_vault|decider|decider_process)|outside/fetch_json)\\.ts$|${tests}`,
      },
      to: { path: '^(node:)?(net|tls|http|https|http2|dgram|dns|child_process|sqlite)$' },
    },
    {
      // It listens there and calls nobody. The rest of the vault knows no socket but the channel.
      name: 'the-vault-answers-its-operator-in-one-place',
      severity: 'error',
      from: { path: '^src/vault/', pathNot: `^src/vault/process/operator_socket\\.ts$|${tests}` },
      to: { path: '^src/link/socket\\.ts$' },
    },
    {
      name: 'what-the-vault-fetches-goes-over-a-pipe-of-the-service',
      severity: 'error',
      from: { path: '^src/vault/outside/fetch_json\\.ts$' },
      to: { path: '^(node:)?(net|https|http2|dgram|dns|child_process|sqlite)$' },
    },
    {
      name: 'the-vault-takes-of-jose-what-fetches-nothing',
      severity: 'error',
      from: { path: '^src/vault/', pathNot: tests },
      to: { path: 'node_modules/jose/dist/webapi/(index|jwks/remote)\\.js$' },
    },
    {
      name: 'the-vault-loads-the-shortest-list',
      severity: 'error',
      from: { path: '^src/(vault|deciding|link|operations|contract|policy|protocol)/', pathNot: tests },
      to: { path: '^node_modules/', pathNot: vaultPackages.replace('^', '^node_modules/') },
    },
    {
      name: 'sql-in-the-store-only',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/service/store/|${tests}` },
      to: { path: '^(node:)?sqlite$|^node_modules/kysely' },
    },
    {
      // It is 300 modules, which the thread that writes would load at each start: that one gets statements as text.
      name: 'no-query-builder-in-the-writer',
      severity: 'error',
      from: {
        path: '^src/service/store/(queue_changes|store|sqlite/(apply|batch|connection|erase|schema_guard|writer))\\.ts$',
      },
      to: {
        path: '^node_modules/kysely|^src/service/store/(query|\\w*queries|portions|sqlite/(sqlite_queries|prepare_file))\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      // The listeners are in http/, the operator's socket is in src/link, and what leads to the vault in vault/. `fetch` is the linter's: see biome.json.
      name: 'outbound-network-in-delivery-only',
      severity: 'error',
      from: {
        path: '^src/service/',
        pathNot: `^src/service/(delivery/|http/|vault/vault_(process|socket)\\.ts$)|${tests}`,
      },
      to: { path: '^(node:)?(net|tls|http|https|http2|dgram|dns|dns/promises)$' },
    },
    {
      name: 'mail-in-delivery-only',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/service/delivery/|${tests}` },
      to: { path: '(^|/)node_modules/nodemailer/' },
    },
    {
      name: 'no-development-dependency-at-run-time',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: {
        dependencyTypes: ['npm-dev', 'npm-unknown', 'unknown', 'undetermined'],
        pathNot: '^node_modules/(@types)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
}
