import { Stack } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { describeCall } from '../../api/call.ts';
import { readRoyalty } from '../../parts/bounds/bounds-draft.ts';
import { RoyaltyFields } from '../../parts/bounds/royalty-fields.tsx';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { FormEnd } from '../../parts/form-end.tsx';
import { useWrite } from '../../parts/use-write.ts';
import type { TokenState } from './token-state.ts';

export function RoyaltyForm({ token, limits: { royalty } }: TokenState) {
  const [draft, setDraft] = useState({
    receiver: royalty?.receiver ?? '',
    percent: royalty ? String(royalty.basisPoints / 100) : '',
  });
  const [hasTried, setTried] = useState(false);
  const write = useWrite({ done: 'The royalty is set' });
  const read = readRoyalty(draft);
  const call = describeCall('put', '/tokens/{address}/royalty', {
    path: { address: token.address },
    body: read.royalty,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(read.faults).length === 0) write.send(call);
  };
  // The body is the royalty itself, so that the API names its fields without `royalty.`.
  const errorOf = (field: string): string | undefined =>
    (hasTried ? read.faults[field] : undefined) ?? fieldError(write.problem, field.replace('royalty.', ''));
  return (
    <form onSubmit={submit} noValidate>
      <Stack maw="36rem">
        <RoyaltyFields
          draft={draft}
          onChange={(part) => setDraft({ ...draft, ...part })}
          errorOf={errorOf}
          isRequired
        />
        <FormEnd
          call={call}
          action="Set the royalty"
          tone="quiet"
          isSending={write.isSending}
          problem={otherProblem(write.problem, ['receiver', 'basisPoints'])}
        />
      </Stack>
    </form>
  );
}
