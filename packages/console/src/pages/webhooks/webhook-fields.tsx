import { Checkbox, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ApiProblem } from '../../api/problem.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { fieldError } from '../../parts/field-errors.ts';
import { EVENTS, eventsOf } from './events.ts';
import type { Event } from './events.ts';

export interface WebhookValues {
  url: string;
  events: Event[];
}

/** The names that the API begins its messages with. */
export const WEBHOOK_FIELDS = ['url', 'events'];

/** Where messages are sent, and which. */
export function WebhookFields({
  form,
  problem,
}: {
  form: UseFormReturnType<WebhookValues>;
  problem: ApiProblem | null;
}) {
  const isSandbox = useStore(sandbox) !== null;
  return (
    <>
      <TextInput
        label="URL"
        description="A server of yours: https, at a public address. It answers 2xx within 15 seconds."
        placeholder="https://shop.example/hooks/mintmark"
        type="url"
        required
        withAsterisk={false}
        maxLength={2_048}
        data-autofocus
        {...form.getInputProps('url')}
        error={fieldError(problem, 'url')}
      />
      <Checkbox.Group label="Events" {...form.getInputProps('events')} error={fieldError(problem, 'events')}>
        <Stack gap="sm" mt="xs">
          {eventsOf(isSandbox).map((event) => (
            <Checkbox key={event} value={event} label={event} description={EVENTS[event]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </>
  );
}
