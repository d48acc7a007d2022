import { activities } from './en/activities.ts'
import { common } from './en/common.ts'
import { link } from './en/link.ts'
import { login } from './en/login.ts'
import { meaning } from './en/meaning.ts'
import { pages } from './en/pages.ts'
import { secrets } from './en/secrets.ts'

/** Every text of the console. A page's texts stand in a section of its own below `en/`, and the same below `de/`. */
export const en = { common, link, login, activities, meaning, secrets, ...pages }
