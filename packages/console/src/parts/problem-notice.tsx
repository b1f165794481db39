import { Alert, Anchor, Button, Text } from '@mantine/core';
import { AlertIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import type { ApiProblem } from '../api/problem.ts';
import { explainProblem } from './explain-problem.ts';

/** A problem in the words of the API, and what to do about it. Renders nothing without one. */
export function ProblemNotice({ problem, onRetry }: { problem: ApiProblem | null; onRetry?: () => void }) {
  if (!problem) return null;
  const { title, advice } = explainProblem(problem);
  return (
    <Alert role="alert" color="red" variant="light" title={title} icon={<AlertIcon />} radius="md">
      <Text size="sm" className="break">
        {problem.message}
      </Text>
      {advice && (
        <Text size="sm" mt={4}>
          {advice}
        </Text>
      )}
      {problem.intentId && (
        <Anchor component={Link} href={`/intents/${problem.intentId}`} size="sm" mt={4} display="block">
          What became of this write
        </Anchor>
      )}
      {problem.requestId && (
        <Text size="xs" mt="xs" c="dimmed" className="break">
          {problem.code} · request {problem.requestId}
        </Text>
      )}
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
