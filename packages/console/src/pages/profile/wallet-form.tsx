import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { describeCall } from '../../api/call.ts';
import { profileChanged } from '../../api/session.ts';
import type { Profile } from '../../api/session.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { notifyDone } from '../../parts/notify.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';

/** @param wallet as it is now; null for none */
export function WalletForm({ wallet }: { wallet: string | null }) {
  const form = useForm({ initialValues: { walletAddress: wallet ?? '' } });
  const submission = useSubmission<Profile>({
    onDone: ({ data }) => {
      profileChanged(data);
      form.setValues({ walletAddress: data.walletAddress ?? '' });
      notifyDone(data.walletAddress === null ? 'The wallet is cleared' : 'The wallet is set');
    },
  });
  const { problem } = submission;
  const describe = (address: string) =>
    describeCall('patch', '/me', { body: { walletAddress: address.trim() === '' ? null : address.trim() } });
  const call = describe(form.values.walletAddress);
  return (
    <form onSubmit={form.onSubmit(() => submission.send(call))}>
      <Stack>
        <TextInput
          label="Wallet address"
          placeholder="0x…"
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('walletAddress')}
          error={fieldError(problem, 'walletAddress')}
        />
        <ProblemNotice problem={otherProblem(problem, ['walletAddress'])} />
        <Group justify="space-between">
          <CopyAsCode call={call} />
          <Group gap="sm">
            {wallet !== null && (
              <Button
                variant="default"
                onClick={() => submission.send(describe(''))}
                disabled={submission.isSending}
              >
                Clear
              </Button>
            )}
            <Button
              type="submit"
              loading={submission.isSending}
              disabled={form.values.walletAddress === (wallet ?? '')}
            >
              Save wallet
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
