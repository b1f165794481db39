import { Divider, NavLink, ScrollArea, Stack } from '@mantine/core';
import { BookIcon, SearchIcon } from '@primer/octicons-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { DOCS_URL, EXPLORER_URL } from '../api/addresses.ts';
import { NAVIGATION, isCurrent } from './navigation.ts';
import styles from './shell.module.css';

/** @param path of the page that is open */
export function NavigationLinks({ path, onFollow }: { path: string; onFollow: () => void }) {
  return (
    <ScrollArea flex={1} type="auto">
      <Stack gap={2} p="sm" pt="xs">
        {NAVIGATION.map((group, index) => (
          <Fragment key={group[0]!.path}>
            {index > 0 && <Divider my="xs" color="var(--line)" />}
            {group.map(({ path: place, name, icon: Icon }) => (
              <NavLink
                key={place}
                component={Link}
                href={place}
                label={name}
                leftSection={<Icon aria-hidden />}
                active={isCurrent(place, path)}
                aria-current={isCurrent(place, path) ? 'page' : undefined}
                className={styles.link}
                onClick={onFollow}
              />
            ))}
          </Fragment>
        ))}
        <Divider my="xs" color="var(--line)" />
        <NavLink
          className={styles.link}
          href={DOCS_URL}
          label="API reference"
          leftSection={<BookIcon aria-hidden />}
        />
        <NavLink
          className={styles.link}
          href={EXPLORER_URL}
          label="Explorer"
          leftSection={<SearchIcon aria-hidden />}
        />
      </Stack>
    </ScrollArea>
  );
}
