import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Call } from '../api/call.ts';
import { useSubmission } from '../api/submission.ts';
import { CopyAsCode } from './copy-as-code/copy-as-code.tsx';
import { ProblemNotice } from './problem-notice.tsx';

interface Confirmation<Answer> {
  isOpen: boolean;
  onClose: () => void;
  /** What is about to happen: "Delete a webhook". */
  title: string;
  /** What it means. */
  children: ReactNode;
  call: Call<Answer>;
  /** Of the button: "Delete webhook". */
  action: string;
  /** Of the other button. */
  decline?: string;
  isDangerous?: boolean;
  /** The dialogue is closed by then. */
  onDone?: (answer: Answer) => void;
}

/** Asks before a request is sent, and shows how a program sends it. */
export function ConfirmCall<Answer>(props: Confirmation<Answer>) {
  const { isOpen, onClose, title } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={<Text fw={600}>{title}</Text>}>
      <Question {...props} />
    </Modal>
  );
}

/** Made anew each time that the dialogue opens. */
function Question<Answer>(props: Confirmation<Answer>) {
  const { onClose, children, call, action, decline = 'Cancel', isDangerous = false, onDone } = props;
  const submission = useSubmission<Answer>({
    onDone: ({ data }) => {
      onClose();
      onDone?.(data);
    },
  });
  return (
    <Stack>
      <Text component="div" size="sm">
        {children}
      </Text>
      <ProblemNotice problem={submission.problem} />
      <CopyAsCode call={call} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {decline}
        </Button>
        <Button
          {...(isDangerous ? { color: 'red.9' } : {})}
          loading={submission.isSending}
          onClick={() => submission.send(call)}
        >
          {action}
        </Button>
      </Group>
    </Stack>
  );
}
