import { Box, Group, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';

/** The first page of a visit takes no focus away; each later one is read out by its title. */
let isFirstPage = true;

/** The title of a page, which gets the focus when the page is opened, and stands in the tab. */
export function PageHeader({
  title,
  description,
  actions,
}: {
  title: string;
  description?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Mintmark`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" mb="xl" gap="md">
      <Box flex="1 1 20rem" maw="48rem">
        <Title
          order={1}
          ref={heading}
          tabIndex={-1}
          fz={{ base: 24, sm: 28 }}
          lh={1.25}
          className="break"
          lineClamp={6}
          title={title}
        >
          {title}
        </Title>
        {description && (
          <Text c="dimmed" mt={6}>
            {description}
          </Text>
        )}
      </Box>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
