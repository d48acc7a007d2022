import { activities } from './de/activities.ts'
import { common } from './de/common.ts'
import { link } from './de/link.ts'
import { login } from './de/login.ts'
import { meaning } from './de/meaning.ts'
import { pages } from './de/pages.ts'
import { secrets } from './de/secrets.ts'
import type { Texts } from './types.ts'

export const de: Texts = { common, link, login, activities, meaning, secrets, ...pages }
