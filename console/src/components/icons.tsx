import type { ReactNode } from 'react'

type IconProps = { readonly size?: number }

/** Icons of this house: strokes on a grid of 20. They decorate; the text or label beside them names the thing. */
function Strokes({ size = 18, children }: IconProps & { readonly children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  )
}

export function OverviewIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M3 3h6v8H3zM11 3h6v4h-6zM11 9h6v8h-6zM3 13h6v4H3z" />
    </Strokes>
  )
}

export function InboxIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M3 11 5.5 4h9L17 11v5H3zM3 11h4l1.2 2.2h3.6L13 11h4" />
    </Strokes>
  )
}

export function ActivitiesIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M2.5 10.5h3l2-6 4 11 2.2-5h3.8" />
    </Strokes>
  )
}

export function WalletsIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M3 6.5h14V16H3zM3 6.5 13.5 3v3.5M13.5 11.2h.01" />
    </Strokes>
  )
}

export function UsersIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM2.5 16c.4-2.7 2.3-4.2 5-4.2s4.6 1.5 5 4.2M13 4.2a2.7 2.7 0 0 1 0 5.1M14.5 12c1.7.5 2.7 1.9 3 4" />
    </Strokes>
  )
}

export function PoliciesIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 10h5.5M7.5 13.5h3.5" />
    </Strokes>
  )
}

export function MfaIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M10 2.5 16.5 5v5c0 3.8-2.6 6.3-6.5 7.5C6.1 16.3 3.5 13.8 3.5 10V5zM7 10l2.2 2.2L13.2 8" />
    </Strokes>
  )
}

export function AccountIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M10 10.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM3.8 17c.5-3 2.9-4.6 6.2-4.6s5.7 1.6 6.2 4.6" />
    </Strokes>
  )
}

export function PasskeyIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 16.5c.4-2.9 2.2-4.4 5-4.4 1 0 1.9.2 2.6.6M14.5 11.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM14.5 11.5v6M14.5 14.2h1.9" />
    </Strokes>
  )
}

export function KeyIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M6.5 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 10h7.5v3M14.5 10v2.5" />
    </Strokes>
  )
}

export function CopyIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M7 7h9v9.5H7zM13 7V3.5H4V13h3" />
    </Strokes>
  )
}

export function CheckIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="m4 10.5 4 4 8-9" />
    </Strokes>
  )
}

export function CrossIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="m5 5 10 10M15 5 5 15" />
    </Strokes>
  )
}

export function AddIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M10 4v12M4 10h12" />
    </Strokes>
  )
}

export function LogOutIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M8 3.5H3.5v13H8M8.5 10H17M13.5 6.5 17 10l-3.5 3.5" />
    </Strokes>
  )
}

export function BackIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M11.5 4.5 6 10l5.5 5.5" />
    </Strokes>
  )
}

export function WarningIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M10 3 18 16.5H2zM10 8v4M10 14.3h.01" />
    </Strokes>
  )
}

export function TagIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M3 3.5h6.5l7.5 7.5-6 6L3.5 9.5zM6.8 7h.01" />
    </Strokes>
  )
}

export function MailIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M2.5 4.5h15v11h-15zM2.5 5.5l7.5 6 7.5-6" />
    </Strokes>
  )
}

export function QuorumIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M10 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM4.5 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM15.5 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8.8 6.5l-3 5.2M11.2 6.5l3 5.2M6.8 14h6.4" />
    </Strokes>
  )
}

export function AllowlistIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M10 2.5 16 5v5c0 3.6-2.4 6.3-6 7.5C6.4 16.3 4 13.6 4 10V5zM7.3 10l2 2 3.6-4" />
    </Strokes>
  )
}

export function WebhookIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M3 10h9M8.5 5.5 13 10l-4.5 4.5M17 4v12" />
    </Strokes>
  )
}

export function SubOrganizationsIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M7.5 3h5v4h-5zM2.5 13h5v4h-5zM12.5 13h5v4h-5zM10 7v3M5 13v-3h10v3" />
    </Strokes>
  )
}

export function SettingsIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <path d="M3 6h7M14 6h3M3 14h3M10 14h7M12 4v4M8 12v4" />
    </Strokes>
  )
}

export function MarkIcon({ size }: IconProps) {
  return (
    <Strokes {...(size === undefined ? {} : { size })}>
      <circle cx="6.5" cy="10" r="3.5" />
      <path d="M10 10h7.5v3.5M14 10v3" />
    </Strokes>
  )
}
