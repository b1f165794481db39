import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Call } from '../../api/call.ts';
import type { Submission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { otherProblem } from '../../parts/field-errors.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { WEBHOOK_FIELDS, WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';

/** The form of a dialogue, for a new webhook or a changed one. */
export function WebhookForm<Answer>({
  initialValues,
  toCall,
  submission,
  action,
  isNew,
  onClose,
}: {
  initialValues: WebhookValues;
  toCall: (values: WebhookValues) => Call<Answer>;
  submission: Submission<Answer>;
  /** Of the button. */
  action: string;
  /** Whether it may be sent as it stands. */
  isNew: boolean;
  onClose: () => void;
}) {
  const form = useForm<WebhookValues>({ initialValues });
  const call = toCall(form.values);
  const { problem } = submission;
  return (
    <form onSubmit={form.onSubmit(() => submission.send(call))}>
      <Stack>
        <WebhookFields form={form} problem={problem} />
        <ProblemNotice problem={otherProblem(problem, WEBHOOK_FIELDS)} />
        <CopyAsCode call={call} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={submission.isSending} disabled={!isNew && !form.isDirty()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
