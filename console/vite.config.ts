import { defineConfig } from 'vite'

/** The server puts a fresh nonce in this place for each load. It is written once more in `console_pages.ts`. */
const noncePlaceholder = '__STYLE_NONCE__'

const serverUrl = 'http://127.0.0.1:8787'

export default defineConfig({
  root: import.meta.dirname,
  html: { cspNonce: noncePlaceholder },
  build: {
    // The first versions that know `light-dark()`: for older ones it would be rewritten to what Mantine does not set.
    target: ['chrome123', 'firefox125', 'safari17.5'],
    // An inlined asset would be a data: address, which the policy of the page refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      onLog(level, log, handle) {
        // Packages for React say "use client" in each module, which means nothing here.
        const isDirective = log.code === 'MODULE_LEVEL_DIRECTIVE'
        // HPKE asks for Node's module only where the browser's own is missing.
        const isOfHpke = log.message.includes('Module "crypto" has been externalized')
        if (!isDirective && !isOfHpke) handle(level, log)
      },
    },
  },
  // For development: `npx vite console` beside a server that runs.
  server: { proxy: { '/public': serverUrl, '/docs': serverUrl, '/.well-known': serverUrl } },
})
