import '@mantine/core/styles.css'
import './app/styles/base.css'
import './app/styles/shell.css'
import './app/styles/components.css'
import './app/styles/forms.css'
import './app/styles/chart.css'
import './app/styles/meaning.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { styleNonce } from './components/nonce.ts'
import { openConsole } from './state/console.ts'
import { firstLanguage } from './texts/texts.tsx'

// The part of Mantine that locks the page behind a dialog takes the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() })

const container = document.getElementById('console')
if (container === null) throw new Error('index.html has an element for the console')
const [language, opened] = await Promise.all([firstLanguage(), openConsole()])
createRoot(container).render(<App language={language} console={opened} />)
