import { activities } from './de/activities.ts'
import { authProxy } from './de/auth_proxy.ts'
import { common } from './de/common.ts'
import { keys } from './de/keys.ts'
import { link } from './de/link.ts'
import { login } from './de/login.ts'
import { meaning } from './de/meaning.ts'
import { mfaPolicies } from './de/mfa_policies.ts'
import { pages } from './de/pages.ts'
import { people } from './de/people.ts'
import { policies } from './de/policies.ts'
import { secrets } from './de/secrets.ts'
import { settings } from './de/settings.ts'
import type { Texts } from './types.ts'
export const de: Texts = {
  authProxy,
  common,
  keys,
  link,
  login,
  activities,
  meaning,
  secrets,
  policies,
  mfaPolicies,
  ...pages,
  ...people,
  ...settings,
}
