import { Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { describeCall } from '../../api/call.ts';
import { readBound } from '../../parts/bounds/bounds-draft.ts';
import { RawUnits } from '../../parts/bounds/bounds-fields.tsx';
import { ConfirmBySymbol } from '../../parts/confirm-by-symbol.tsx';
import { fieldError } from '../../parts/field-errors.ts';
import { FormEnd } from '../../parts/form-end.tsx';
import { useWrite } from '../../parts/use-write.ts';
import { MintableNow } from './mintable-now.tsx';
import { describeAmount } from './token-state.ts';
import type { TokenState } from './token-state.ts';

export function MintLimit(state: TokenState) {
  const { token, limits } = state;
  const [typed, setTyped] = useState('');
  const [hasTried, setTried] = useState(false);
  const [isOpen, { open, close }] = useDisclosure(false);
  const write = useWrite({
    done: 'The limit applies',
    onDone: () => {
      close();
      setTyped('');
      setTried(false);
    },
  });
  const { raw, fault } = readBound(typed, limits.decimals ?? 0, 0n);
  const call = describeCall('put', '/tokens/{address}/mint-limit', {
    path: { address: token.address },
    body: { perDay: raw },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    write.reset();
    if (fault === undefined) open();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack maw="36rem">
        <Text size="sm">
          {limits.mintLimitPerDay === null
            ? 'There is no limit now.'
            : `The limit is ${describeAmount(limits.mintLimitPerDay, state)}.`}{' '}
          <MintableNow {...state} />
        </Text>
        <TextInput
          label="New limit"
          description="0 for no mint at all."
          inputMode="decimal"
          autoComplete="off"
          maw={320}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={(hasTried ? fault : undefined) ?? fieldError(write.problem, 'perDay')}
        />
        <RawUnits typed={typed} decimals={limits.decimals} />
        <FormEnd
          call={call}
          action="Set the limit"
          tone="danger"
          isSending={write.isSending}
          problem={null}
        />
      </Stack>
      <ConfirmBySymbol
        isOpen={isOpen}
        onClose={close}
        title="Set the limit per day"
        symbol={token.symbol}
        action="Set the limit"
        isBusy={write.isSending}
        problem={write.problem}
        onConfirm={() => write.send(call)}
      >
        From now on the service mints at most {fault === undefined ? describeAmount(raw, state) : '?'} at
        once, and as much again within 24 hours. It cannot be raised here again: only the owner of the
        contract can, on the chain.
      </ConfirmBySymbol>
    </form>
  );
}
