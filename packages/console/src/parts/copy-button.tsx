import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 2_000;

/** Copies `text`. @param label what is copied, for its name: "address" */
export function CopyButton({
  text,
  label,
  withText = false,
}: {
  text: string;
  label: string;
  withText?: boolean;
}) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    copyText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  const icon = outcome === 'copied' ? <CheckIcon /> : <CopyIcon />;
  const said =
    outcome === null ? `Copy ${label}` : outcome === 'copied' ? 'Copied' : 'Select and copy it by hand';
  if (withText) {
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={copy} aria-live="polite">
        {outcome === null ? 'Copy' : said}
      </Button>
    );
  }
  return (
    <Tooltip label={said}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={said} onClick={copy}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
