import {
  Alert,
  Anchor,
  Box,
  Button,
  Center,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { DOCS_URL } from '../../api/addresses.ts';
import { toProblem } from '../../api/problem.ts';
import { register, signIn } from '../../api/session.ts';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Mark } from '../../shell/mark.tsx';
import { UnreachableBanner } from '../../shell/unreachable-banner.tsx';

interface Typed {
  email: string;
  password: string;
  inviteCode: string;
}

/**
 * Stands in place of every page while nobody is signed in. @param hasEnded the session ended while the page was open
 */
export function SignInPage({ hasEnded }: { hasEnded: boolean }) {
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Mintmark';
  }, []);
  return (
    <main>
      <UnreachableBanner />
      <Center mih="100vh" p="md">
        <Box w="100%" maw={400}>
          <Stack align="center" gap="xs" mb="lg">
            <Mark size={44} />
            <Title order={1} fz={24}>
              {isNew ? 'Create an account' : 'Sign in to Mintmark'}
            </Title>
          </Stack>
          {hasEnded && (
            <Alert color="blue" variant="light" mb="md" role="status">
              Your session has ended. Sign in to go on where you were.
            </Alert>
          )}
          <Paper withBorder p="xl">
            <CredentialsForm key={String(isNew)} isNew={isNew} />
          </Paper>
          <Text ta="center" mt="lg" size="sm">
            {isNew ? 'You have an account? ' : 'You have an invite code? '}
            <Anchor
              component="button"
              type="button"
              inherit
              underline="always"
              onClick={() => setNew(!isNew)}
            >
              {isNew ? 'Sign in' : 'Create an account'}
            </Anchor>
          </Text>
          <Text ta="center" mt="xs" size="sm" c="dimmed">
            <Anchor href={DOCS_URL} inherit underline="always">
              API reference
            </Anchor>
          </Text>
        </Box>
      </Center>
    </main>
  );
}

const FIELDS = ['email', 'password', 'inviteCode'];

function CredentialsForm({ isNew }: { isNew: boolean }) {
  const form = useForm<Typed>({ initialValues: { email: '', password: '', inviteCode: '' } });
  const submission = useMutation({
    mutationFn: ({ email, password, inviteCode }: Typed) =>
      isNew ? register({ email, password, inviteCode }) : signIn({ email, password }),
  });
  const problem = toProblem(submission.error);
  return (
    <form onSubmit={form.onSubmit((typed) => submission.mutate(typed))}>
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          {...form.getInputProps('email')}
          error={fieldError(problem, 'email')}
        />
        <PasswordInput
          label="Password"
          description={isNew ? '8 to 128 characters, none of the commonest, not the e-mail.' : undefined}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          withAsterisk={false}
          {...form.getInputProps('password')}
          error={fieldError(problem, 'password')}
        />
        {isNew && (
          <TextInput
            label="Invite code"
            description="From whoever runs this service; npm start prints one."
            autoComplete="off"
            required
            withAsterisk={false}
            {...form.getInputProps('inviteCode')}
            error={fieldError(problem, 'inviteCode')}
          />
        )}
        <ProblemNotice problem={otherProblem(problem, FIELDS)} />
        <Button type="submit" size="md" loading={submission.isPending}>
          {isNew ? 'Create account' : 'Sign in'}
        </Button>
      </Stack>
    </form>
  );
}
