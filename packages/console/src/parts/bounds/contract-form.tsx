import { Grid, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { Call } from '../../api/call.ts';
import type { Submission } from '../../api/submission.ts';
import { fieldError, otherProblem } from '../field-errors.ts';
import { FormEnd } from '../form-end.tsx';
import { Section } from '../section.tsx';
import type { ContractDraft, Faults } from './bounds-draft.ts';
import { BoundsFields } from './bounds-fields.tsx';
import type { FieldsOf } from './bounds-fields.tsx';
import { WhatStays } from './what-stays.tsx';
import type { Settled } from './what-stays.tsx';

/** The form of a new contract: its fields, and beside them what they settle for ever, with the button. */
export function ContractForm<Answer>({
  label,
  action,
  call,
  faults,
  write,
  fields,
  settled,
  price,
  children,
}: {
  /** Of the part beside the fields. */
  label: string;
  /** Of the button. */
  action: string;
  call: Call<Answer>;
  faults: Faults;
  write: Submission<Answer>;
  /** Those that show what the API says of them. */
  fields: readonly string[];
  settled: Settled;
  price: ReactNode;
  /** @param errorOf says nothing of what is missing before the first try */
  children: (errorOf: (field: string) => string | undefined) => ReactNode;
}) {
  const [hasTried, setTried] = useState(false);
  const isFaulty = Object.keys(faults).length > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (!isFaulty) write.send(call);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            {children((field) => (hasTried ? faults[field] : undefined) ?? fieldError(write.problem, field))}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="lg" pos="sticky" top={80} component="section" aria-label={label}>
            <WhatStays {...settled} />
            <Stack mt="lg">
              {hasTried && isFaulty && (
                <Text size="sm" c="var(--mantine-color-error)" role="alert">
                  Something in the form is to be corrected first.
                </Text>
              )}
              <FormEnd
                call={call}
                action={action}
                isSending={write.isSending}
                problem={otherProblem(write.problem, fields)}
              >
                {price}
              </FormEnd>
            </Stack>
          </Paper>
        </Grid.Col>
      </Grid>
    </form>
  );
}

/** @param decimals of an ERC-20 token; null for NFTs */
export function BoundsSection(props: FieldsOf<ContractDraft> & { decimals: number | null }) {
  return (
    <Section
      title="Bounds"
      description="Each is optional. What you promise here, the contract keeps for its whole life."
    >
      <BoundsFields {...props} />
    </Section>
  );
}
