import { activities } from './en/activities.ts'
import { common } from './en/common.ts'
import { login } from './en/login.ts'
import { pages } from './en/pages.ts'

/** Every text of the console. A page's texts stand in a section of its own below `en/`, and the same below `de/`. */
export const en = { common, login, activities, ...pages }
