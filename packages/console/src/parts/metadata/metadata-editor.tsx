import { Grid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { Call } from '../../api/call.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { fieldError, otherProblem } from '../field-errors.ts';
import { FormEnd } from '../form-end.tsx';
import { useWrite } from '../use-write.ts';
import { LivePreview } from './live-preview.tsx';
import { readDraft } from './metadata-draft.ts';
import type { MetadataDraft } from './metadata-draft.ts';
import { MetadataFields, faultAt } from './metadata-fields.tsx';
import { MAX_BYTES, sizeOf } from './metadata-rules.ts';
import type { Metadata } from './metadata-rules.ts';

const FIELDS = ['name', 'description', 'image', 'attributes'];

/** Replaces the metadata of a contract or of an NFT, with a picture of it as the chain will draw it. */
export function MetadataEditor({
  initial,
  contract,
  tokenId,
  describe,
  note,
}: {
  initial: MetadataDraft;
  contract: { name: string; symbol: string };
  /** Of the NFT; without it the metadata are those of the contract. */
  tokenId?: string;
  describe: (metadata: Metadata) => Call;
  note?: ReactNode;
}) {
  const [draft, setDraft] = useState(initial);
  const [hasTried, setTried] = useState(false);
  const isSandbox = useStore(sandbox) !== null;
  const write = useWrite({
    done: isSandbox ? 'The metadata are right; the sandbox keeps none' : 'The metadata are on the chain',
  });
  const { metadata, faults } = readDraft(draft);
  const call = describe(metadata);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (faults.length === 0) write.send(call);
  };
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <form onSubmit={submit} noValidate>
          <Stack>
            {note}
            <MetadataFields
              isDrawn={tokenId !== undefined}
              draft={draft}
              onChange={setDraft}
              errorOf={(field) =>
                (hasTried ? faultAt(faults, field) : undefined) ?? fieldError(write.problem, field)
              }
            />
            <FormEnd
              call={call}
              action="Save the metadata"
              isSending={write.isSending}
              problem={otherProblem(write.problem, FIELDS)}
            >
              <Text size="xs" c="dimmed">
                {sizeOf(metadata)} of {MAX_BYTES.all} bytes; what is left out is removed.
              </Text>
            </FormEnd>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <LivePreview
          previewed={{ ...contract, metadata, ...(tokenId === undefined ? {} : { tokenId }) }}
          isValid={faults.length === 0}
        />
      </Grid.Col>
    </Grid>
  );
}
