import { Button, Group } from '@mantine/core';
import { askNow, reachability } from '../api/reachability.ts';
import { useStore } from '../api/store.ts';
import styles from './shell.module.css';

/** While the service does not answer. It goes by itself. */
export function UnreachableBanner() {
  const { isReachable } = useStore(reachability);
  return (
    <div aria-live="assertive">
      {!isReachable && (
        <Group className={`${styles.banner} ${styles.unreachable}`} justify="space-between" gap="sm">
          <span>
            <strong>The service cannot be reached.</strong> Nothing that it accepted is lost. This page tries
            again by itself.
          </span>
          <Button size="compact-sm" variant="default" onClick={() => void askNow()}>
            Try now
          </Button>
        </Group>
      )}
    </div>
  );
}
