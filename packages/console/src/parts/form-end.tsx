import { Box, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Call } from '../api/call.ts';
import type { ApiProblem } from '../api/problem.ts';
import { CopyAsCode } from './copy-as-code/copy-as-code.tsx';
import { DANGER } from './danger.ts';
import { ProblemNotice } from './problem-notice.tsx';

/** The end of a form that writes: what is wrong, the button, and the same request as code. */
export function FormEnd({
  call,
  action,
  tone = 'main',
  isSending,
  problem,
  onAgain,
  children,
}: {
  call: Call;
  /** Of the button. */
  action: string;
  tone?: 'main' | 'quiet' | 'danger';
  isSending: boolean;
  /** What no field shows. */
  problem: ApiProblem | null;
  /**
   * Given once the request is done: the form is disarmed until something in it changes, or somebody wants it once more.
   */
  onAgain?: (() => void) | undefined;
  /** Beside the button: what it costs. */
  children?: ReactNode;
}) {
  return (
    <>
      <ProblemNotice problem={problem} />
      <Group gap="md">
        <Button type="submit" loading={isSending} disabled={onAgain !== undefined} {...LOOKS[tone]}>
          {action}
        </Button>
        {onAgain && (
          <Button variant="default" onClick={onAgain}>
            Once more
          </Button>
        )}
        {children}
      </Group>
      <Box ml={-8}>
        <CopyAsCode call={call} />
      </Box>
    </>
  );
}

const LOOKS = {
  main: {},
  quiet: { variant: 'default' } as const,
  danger: DANGER,
};
