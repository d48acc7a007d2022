import { activities } from './en/activities.ts'
import { authProxy } from './en/auth_proxy.ts'
import { common } from './en/common.ts'
import { keys } from './en/keys.ts'
import { link } from './en/link.ts'
import { login } from './en/login.ts'
import { meaning } from './en/meaning.ts'
import { mfaPolicies } from './en/mfa_policies.ts'
import { pages } from './en/pages.ts'
import { people } from './en/people.ts'
import { policies } from './en/policies.ts'
import { secrets } from './en/secrets.ts'
import { settings } from './en/settings.ts'

/** Every text of the console. A page's texts stand in a section of its own below `en/`, and the same below `de/`. */
export const en = {
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
