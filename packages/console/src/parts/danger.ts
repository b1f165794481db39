/** How a button looks that cannot be undone, or stops every holder: 4.5:1 on every ground, by day and by night. */
export const DANGER = {
  variant: 'default',
  c: 'var(--mantine-color-error)',
  bd: '1px solid var(--mantine-color-error)',
} as const;
