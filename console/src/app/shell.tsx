import { ActionIcon, Burger, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { AccountIcon, MarkIcon } from '../components/icons.tsx'
import { Notices } from '../components/notices.tsx'
import { Empty, Offline } from '../components/states.tsx'
import { UserText } from '../components/user_text.tsx'
import { useWaitingForMe } from '../pages/inbox/waiting.ts'
import { useConsole } from '../state/console.ts'
import { useSession } from '../state/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { groups } from './navigation.ts'
import { SessionBox, SessionEnd } from './session_box.tsx'

/** The frame around every page: navigation at the side, or at the bottom and behind a button on a narrow screen. */
export function Shell() {
  const { common } = useTexts()
  const [isOpen, { open, close }] = useDisclosure()
  const { live } = useConsole()
  const session = useSession()
  useEffect(() => live.watch(session), [live, session])
  return (
    <div className="shell">
      {/* biome-ignore lint/a11y/useValidAnchor: the part behind # is the path of the page, so the link only moves the focus */}
      <a
        className="skip-link"
        href="#content"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('content')?.focus()
        }}
      >
        {common.skipToContent}
      </a>
      <header className="topbar">
        <Burger size="sm" opened={isOpen} onClick={open} aria-label={common.openNavigation} />
        <Brand />
        <ActionIcon component={Link} to="/account" variant="subtle" size="lg" aria-label={common.account}>
          <AccountIcon size={20} />
        </ActionIcon>
      </header>
      <aside className="sidebar">
        <Sidebar />
      </aside>
      <Drawer
        opened={isOpen}
        onClose={close}
        size="17rem"
        title={<Brand />}
        closeButtonProps={{ 'aria-label': common.closeNavigation }}
        transitionProps={{ duration: 0 }}
        hiddenFrom="md"
      >
        <Navigation onNavigate={close} />
        <SessionBox />
      </Drawer>
      <main id="content" className="content" tabIndex={-1}>
        <Offline />
        <SessionEnd />
        <Outlet />
      </main>
      <BottomBar />
      <Notices />
    </div>
  )
}

function Sidebar() {
  return (
    <>
      <Brand />
      <Navigation />
      <SessionBox />
    </>
  )
}

function Brand() {
  const { organizationName } = useSession()
  const { productName } = useTexts().common
  return (
    <div className="brand">
      <span className="brand-mark">
        <MarkIcon size={20} />
      </span>
      <span className="brand-text">
        <span className="brand-organization">
          <UserText text={organizationName} charactersMax={60} />
        </span>
        <span className="brand-product">{productName}</span>
      </span>
    </div>
  )
}

function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const { mainNavigation, navigation } = useTexts().common
  const waiting = useWaitingForMe()
  return (
    <nav aria-label={mainNavigation} className="navigation">
      {groups.map((group) => (
        <div key={group.name} className="navigation-group">
          <p className="navigation-title">{navigation[group.name]}</p>
          {group.destinations.map(({ to, name, icon: Icon }) => (
            <Link
              key={to}
              to={to}
              className="navigation-link"
              activeOptions={{ exact: to === '/' }}
              activeProps={{ 'aria-current': 'page' }}
              {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
            >
              <Icon />
              <span>{navigation[name]}</span>
              {name === 'inbox' && waiting > 0 && <span className="navigation-count">{waiting}</span>}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  )
}

/** Within reach of the thumb. */
function BottomBar() {
  const { mainNavigation, navigation } = useTexts().common
  const waiting = useWaitingForMe()
  const shown = groups.flatMap(({ destinations }) => destinations).filter(({ isInBar }) => isInBar === true)
  return (
    <nav aria-label={mainNavigation} className="bottom-bar">
      {shown.map(({ to, name, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className="bottom-link"
          activeOptions={{ exact: to === '/' }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Icon size={20} />
          <span>{navigation[name]}</span>
          {name === 'inbox' && waiting > 0 && <span className="navigation-count">{waiting}</span>}
        </Link>
      ))}
    </nav>
  )
}

export function NotFound() {
  const { errors } = useTexts().common
  return <Empty title={errors.notFound} />
}
