import { Box, Code, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

/**
 * A program, to read and to copy.
 * @param name of the program, for those who do not see it: "Code"
 * @param children a note below it
 */
export function CodeBlock({ text, name, children }: { text: string; name: string; children?: ReactNode }) {
  return (
    <Box mt="xs">
      <Code block tabIndex={0} aria-label={name} fz={13} p="md" mah="24rem" c="var(--mantine-color-text)">
        {text}
      </Code>
      <Group justify="space-between" mt="xs" gap="xs">
        <span>{children}</span>
        <CopyButton text={text} label={name.toLowerCase()} withText />
      </Group>
    </Box>
  );
}
