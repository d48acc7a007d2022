import { isUuid } from '../stamping/encoding.ts'

/** An organization into which somebody logged in from this browser. No secret: it saves typing an id. */
export type KnownOrganization = {
  readonly organizationId: string
  readonly organizationName: string
  readonly userName: string
}

const storageKey = 'claviger.organizations'
const organizationsMax = 8

/** The last one used comes first. */
export function knownOrganizations(): readonly KnownOrganization[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isKnown).slice(0, organizationsMax) : []
  } catch {
    return []
  }
}

export function rememberOrganization({ organizationId, organizationName, userName }: KnownOrganization): void {
  const others = knownOrganizations().filter((known) => known.organizationId !== organizationId)
  const kept = [{ organizationId, organizationName, userName }, ...others].slice(0, organizationsMax)
  localStorage.setItem(storageKey, JSON.stringify(kept))
}

export function forgetOrganizations(): void {
  localStorage.removeItem(storageKey)
}

function isKnown(value: unknown): value is KnownOrganization {
  if (typeof value !== 'object' || value === null) return false
  const { organizationId, organizationName, userName }: Partial<Record<keyof KnownOrganization, unknown>> = value
  const isNamed = typeof organizationName === 'string' && typeof userName === 'string'
  return typeof organizationId === 'string' && isUuid(organizationId) && isNamed
}
