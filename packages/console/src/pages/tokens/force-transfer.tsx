import { Radio, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { describeCall } from '../../api/call.ts';
import { AccountField } from '../../parts/account-field.tsx';
import { shorten } from '../../parts/address.tsx';
import { readBound } from '../../parts/bounds/bounds-draft.ts';
import { RawUnits } from '../../parts/bounds/bounds-fields.tsx';
import { ConfirmBySymbol } from '../../parts/confirm-by-symbol.tsx';
import { fieldError } from '../../parts/field-errors.ts';
import { FormEnd } from '../../parts/form-end.tsx';
import { useWrite } from '../../parts/use-write.ts';
import { describeAmount } from './token-state.ts';
import type { TokenState } from './token-state.ts';

const EMPTY = { from: '', to: '', isBurn: false, what: '' };

export function ForceTransfer(state: TokenState) {
  const { token, limits } = state;
  const [draft, setDraft] = useState(EMPTY);
  const [hasTried, setTried] = useState(false);
  const [isOpen, { open, close }] = useDisclosure(false);
  const { from, to, isBurn, what } = draft;
  const write = useWrite({
    done: isBurn ? 'The holding is burned' : 'The holding is moved',
    onDone: () => {
      close();
      setDraft(EMPTY);
      setTried(false);
    },
  });
  const isNft = limits.decimals === null;
  const { raw, fault } = readBound(what, limits.decimals ?? 0, isNft ? 0n : 1n);
  const call = describeCall('post', '/tokens/{address}/force-transfer', {
    path: { address: token.address },
    body: { from, to: isBurn ? null : to, ...(isNft ? { tokenId: raw } : { amount: raw }) },
  });
  const action = isBurn ? 'Burn the holding' : 'Move the holding';
  const change = (part: Partial<typeof EMPTY>): void => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    write.reset();
    if (fault === undefined) open();
  };
  const described = isNft ? `#${raw}` : fault === undefined ? describeAmount(raw, state) : '?';
  return (
    <form onSubmit={submit}>
      <Stack maw="36rem">
        <AccountField
          label="From"
          value={from}
          onChange={(address) => change({ from: address })}
          error={fieldError(write.problem, 'from')}
        />
        <Radio.Group
          aria-label="What is done with it"
          value={isBurn ? 'burn' : 'move'}
          onChange={(value) => change({ isBurn: value === 'burn' })}
        >
          <Stack gap="xs">
            <Radio value="move" label="Move it to another account" />
            <Radio value="burn" label="Burn it" />
          </Stack>
        </Radio.Group>
        {!isBurn && (
          <AccountField
            label="To"
            value={to}
            onChange={(address) => change({ to: address })}
            error={fieldError(write.problem, 'to')}
          />
        )}
        <TextInput
          label={isNft ? 'Token id' : 'Amount'}
          inputMode="decimal"
          autoComplete="off"
          required
          withAsterisk={false}
          value={what}
          onChange={({ currentTarget }) => change({ what: currentTarget.value })}
          error={
            (hasTried ? fault : undefined) ??
            fieldError(write.problem, 'amount') ??
            fieldError(write.problem, 'tokenId')
          }
        />
        <RawUnits typed={what} decimals={limits.decimals} />
        <FormEnd call={call} action={action} tone="danger" isSending={write.isSending} problem={null} />
      </Stack>
      <ConfirmBySymbol
        isOpen={isOpen}
        onClose={close}
        title={isBurn ? 'Burn a holding' : 'Move a holding'}
        symbol={token.symbol}
        action={action}
        isBusy={write.isSending}
        problem={write.problem}
        onConfirm={() => write.send(call)}
      >
        <bdi>{described}</bdi> of {shorten(from)} {isBurn ? 'is burned' : `goes to ${shorten(to)}`}, without
        the consent of its holder. Everybody can see this on the chain.
      </ConfirmBySymbol>
    </form>
  );
}
