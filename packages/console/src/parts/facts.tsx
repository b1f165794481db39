import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and values of one thing; those without a value are left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={styles.facts}>
      {Object.entries(facts)
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <dd className="break">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
