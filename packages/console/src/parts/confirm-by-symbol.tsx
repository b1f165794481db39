import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { ApiProblem } from '../api/problem.ts';
import { ProblemNotice } from './problem-notice.tsx';

interface Confirmation {
  isOpen: boolean;
  onClose: () => void;
  /** What is about to happen, as the title: "Close minting for ever". */
  title: string;
  /** What it means, and that it cannot be undone if so. */
  children: ReactNode;
  /** What has to be typed: the token's symbol. */
  symbol: string;
  /** Of the button: "Close minting". */
  action: string;
  isBusy?: boolean;
  problem?: ApiProblem | null;
  onConfirm: () => void;
}

/** Asks for the token's symbol before something dangerous is done. */
export function ConfirmBySymbol(props: Confirmation) {
  const { isOpen, onClose, title } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={<Text fw={600}>{title}</Text>}>
      <Question {...props} />
    </Modal>
  );
}

/** Made anew each time that the dialogue opens, with an empty field. */
function Question({ children, symbol, action, isBusy, problem, onConfirm, onClose }: Confirmation) {
  const [typed, setTyped] = useState('');
  const isRight = typed.trim() === symbol;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // React hands events of a dialogue on to the form that it belongs to, which must not be sent with it.
    event.stopPropagation();
    if (isRight) onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Text component="div" size="sm" mb="md">
        {children}
      </Text>
      <TextInput
        label={
          <>
            Type the symbol <bdi className="mono">{symbol}</bdi> to confirm
          </>
        }
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        autoComplete="off"
        data-autofocus
        mb="md"
      />
      <ProblemNotice problem={problem ?? null} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" color="red" disabled={!isRight} loading={isBusy ?? false}>
          {action}
        </Button>
      </Group>
    </form>
  );
}
