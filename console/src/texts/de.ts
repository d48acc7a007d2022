import { activities } from './de/activities.ts'
import { common } from './de/common.ts'
import { login } from './de/login.ts'
import { pages } from './de/pages.ts'
import type { Texts } from './types.ts'

export const de: Texts = { common, login, activities, ...pages }
