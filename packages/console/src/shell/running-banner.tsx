import { Anchor } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { running } from '../api/running.ts';
import { useStore } from '../api/store.ts';
import { groupDigits } from '../parts/amount-text.ts';
import styles from './shell.module.css';

/** On every page but its own: what goes on while its page is left. */
export function RunningBanner() {
  const current = useStore(running);
  const [path] = useLocation();
  if (!current || current.path === path) return null;
  const { name, done, total } = current;
  return (
    <div className={`${styles.banner} ${styles.running}`} role="note">
      <strong>{name}:</strong> {groupDigits(String(done))} of {groupDigits(String(total))}. It goes on until
      this tab is closed.{' '}
      <Anchor component={Link} href={current.path} inherit underline="always">
        See it
      </Anchor>
    </div>
  );
}
