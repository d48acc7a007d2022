import { firstLanguage, showPage } from './page.ts'

showPage(firstLanguage())
