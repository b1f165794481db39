import { Text } from '@mantine/core';

/** In the place of a control that was given up. */
export function Renounced({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
