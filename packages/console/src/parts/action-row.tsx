import { Box, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Call } from '../api/call.ts';
import { ConfirmBySymbol } from './confirm-by-symbol.tsx';
import { CopyAsCode } from './copy-as-code/copy-as-code.tsx';
import { DANGER } from './danger.ts';
import { ProblemNotice } from './problem-notice.tsx';
import { useWrite } from './use-write.ts';

interface Action {
  title: string;
  /** What it means. */
  children: ReactNode;
  /** Of the button. */
  action: string;
  call: Call;
  /** What is so afterwards: "The token is paused". */
  done: string;
  /** It cannot be undone, or stops every holder: the token's symbol is asked for. */
  danger?: { symbol: string; question: ReactNode } | undefined;
}

/** One thing that can be done with a press of a button. */
export function ActionRow({ title, children, action, call, done, danger }: Action) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const write = useWrite({ done, onDone: close });
  const ask = (): void => {
    write.reset();
    open();
  };
  return (
    <Box>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box flex="1 1 18rem">
          <Text size="sm" fw={600} component="h3">
            {title}
          </Text>
          <Text size="sm" c="dimmed" component="div">
            {children}
          </Text>
        </Box>
        <Button
          {...(danger ? DANGER : { variant: 'default' })}
          loading={write.isSending}
          onClick={danger ? ask : () => write.send(call)}
        >
          {action}
        </Button>
      </Group>
      {!danger && <ProblemNotice problem={write.problem} />}
      <Box mt={4} ml={-8}>
        <CopyAsCode call={call} />
      </Box>
      {danger && (
        <ConfirmBySymbol
          isOpen={isOpen}
          onClose={close}
          title={title}
          symbol={danger.symbol}
          action={action}
          isBusy={write.isSending}
          problem={write.problem}
          onConfirm={() => write.send(call)}
        >
          {danger.question}
        </ConfirmBySymbol>
      )}
    </Box>
  );
}
