import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { fromEnvironment } from '../../parts/copy-as-code/languages.ts';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { notifyDone } from '../../parts/notify.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';

const EMPTY = { currentPassword: '', newPassword: '', revokeKeys: false };
const FIELDS = ['currentPassword', 'newPassword'];

/** @param email by which the browser's store of passwords knows what to update */
export function PasswordForm({ email }: { email: string }) {
  const form = useForm({ initialValues: EMPTY });
  const submission = useSubmission<undefined>({
    onDone: () => {
      form.reset();
      notifyDone('The password is changed');
    },
  });
  const { problem } = submission;
  // The API says 401 for a wrong password, which is about the first field.
  const isWrong = problem?.code === 'UNAUTHORIZED';
  const shown = {
    currentPassword: fromEnvironment('CURRENT_PASSWORD'),
    newPassword: fromEnvironment('NEW_PASSWORD'),
  };
  return (
    <form
      onSubmit={form.onSubmit((body) => submission.send(describeCall('post', '/v1/auth/password', { body })))}
    >
      <Stack>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          {...form.getInputProps('currentPassword')}
          error={isWrong ? problem.message : fieldError(problem, 'currentPassword')}
        />
        <PasswordInput
          label="New password"
          description="8 to 128 characters, none of the commonest, not the e-mail."
          autoComplete="new-password"
          required
          withAsterisk={false}
          {...form.getInputProps('newPassword')}
          error={fieldError(problem, 'newPassword')}
        />
        <Checkbox
          label="Revoke every API key too"
          description="After a theft: programs that use them stop working."
          {...form.getInputProps('revokeKeys', { type: 'checkbox' })}
        />
        <ProblemNotice problem={isWrong ? null : otherProblem(problem, FIELDS)} />
        <Group justify="space-between">
          <CopyAsCode
            call={describeCall('post', '/v1/auth/password', {
              body: { ...shown, revokeKeys: form.values.revokeKeys },
            })}
          />
          <Button type="submit" loading={submission.isSending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
