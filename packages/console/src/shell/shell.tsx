import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { draft, noteTyping } from '../api/draft.ts';
import type { Profile } from '../api/session.ts';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import { NavigationLinks } from './navigation-links.tsx';
import { RunningBanner } from './running-banner.tsx';
import { SandboxBanner, SandboxSwitch } from './sandbox-switch.tsx';
import styles from './shell.module.css';
import { ThemeSwitch } from './theme-switch.tsx';
import { UnreachableBanner } from './unreachable-banner.tsx';

/** What stands around every page. */
export function Shell({ profile, children }: { profile: Profile; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [path] = useLocation();
  useEffect(() => {
    close();
    draft.set(false);
  }, [path, close]);
  return (
    <AppShell
      layout="alt"
      header={{ height: 60 }}
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a className="skip-link" href={`#main`} onClick={skipToContent}>
        Skip to content
      </a>
      <AppShell.Navbar className={styles.navbar} aria-label="Console">
        <Group h={60} px="md" justify="space-between" wrap="nowrap">
          <Brand />
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="md" size="sm" aria-label="Close navigation" />
        </Group>
        <NavigationLinks path={path} onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Header className={styles.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" hiddenFrom="md">
            <Burger
              opened={isOpen}
              onClick={toggle}
              size="sm"
              aria-label="Open navigation"
              aria-expanded={isOpen}
            />
            <Brand isShort />
          </Group>
          <Group gap="md" ml="auto" wrap="nowrap">
            <SandboxSwitch />
            <ThemeSwitch />
            <AccountMenu profile={profile} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Main id="main" tabIndex={-1} onInput={noteTyping}>
        <UnreachableBanner />
        <SandboxBanner />
        <RunningBanner />
        <div className={styles.content}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

/** With a base in the document, a link to `#main` would leave the page. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Brand({ isShort = false }: { isShort?: boolean }) {
  return (
    <Link href="/" className={styles.brand} aria-label="Mintmark console">
      <Mark />
      {!isShort && <Text fw={650}>Mintmark</Text>}
    </Link>
  );
}
