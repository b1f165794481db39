import { Button, Group, Text } from '@mantine/core';
import { ArrowUpIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../api/problem.ts';
import styles from './live-bar.module.css';

/** Above a list that follows what happens: whether it is up to date, and a button for rows that wait to be shown. */
export function LiveBar({
  problem,
  heldBack,
  onShowNew,
  children,
}: {
  /** Of the last reading; what was read before is still shown. */
  problem: ApiProblem | null;
  heldBack: number;
  onShowNew: () => void;
  children?: ReactNode;
}) {
  return (
    <>
      <Group justify="space-between" gap="sm" mb="xs" mih={30}>
        <Group gap={8} wrap="nowrap" role="status">
          <span className={styles.dot} data-late={problem !== null} aria-hidden />
          <Text size="sm" c="dimmed">
            {problem ? `Not up to date: ${problem.message}` : 'Live'}
          </Text>
        </Group>
        {children}
      </Group>
      <div className={styles.waiting} aria-live="polite">
        {heldBack > 0 && (
          <Button size="compact-sm" radius="xl" leftSection={<ArrowUpIcon />} onClick={onShowNew}>
            {heldBack === 1 ? 'Show 1 new' : `Show ${heldBack} new`}
          </Button>
        )}
      </div>
    </>
  );
}
