import { Group, Paper, Progress, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../api/problem.ts';
import { groupDigits } from './amount-text.ts';
import { ProblemNotice } from './problem-notice.tsx';
import { When } from './when.tsx';

export interface Metered {
  used: number;
  remaining: number;
  /** For writes under way. */
  held?: number;
  /** ISO 8601. */
  periodEnd: string;
}

const NEARLY = 0.9;

/** How much of an allowance is left, and when it renews. @param unit in the plural: "credits" */
export function Meter({
  title,
  unit,
  metered,
  problem,
  children,
}: {
  title: string;
  unit: string;
  metered: Metered | undefined;
  problem: ApiProblem | null;
  children?: ReactNode;
}) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Text size="sm" fw={500} c="dimmed" component="h2">
        {title}
      </Text>
      {problem ? (
        <ProblemNotice problem={problem} />
      ) : metered ? (
        <Figures {...{ title, unit, metered }} />
      ) : (
        <Unknown />
      )}
      {children}
    </Paper>
  );
}

function Figures({ title, unit, metered }: { title: string; unit: string; metered: Metered }) {
  const { used, held = 0, remaining, periodEnd } = metered;
  const total = used + held + remaining;
  const share = total === 0 ? 1 : (used + held) / total;
  const shown = (count: number): string => groupDigits(String(count));
  return (
    <>
      <Text fz={30} fw={600} lh={1.2} mt={4}>
        {shown(remaining)}
      </Text>
      <Text size="sm" c="dimmed">
        of {shown(total)} {unit} left
      </Text>
      <Progress
        value={share * 100}
        size="sm"
        my="sm"
        color={share >= NEARLY ? 'orange' : 'brand'}
        aria-label={`${title}: used`}
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {shown(used)} used{held > 0 ? `, ${shown(held)} held` : ''}
        </Text>
        <Text size="sm" c="dimmed">
          Renews <When at={periodEnd} as="relative" />
        </Text>
      </Group>
    </>
  );
}

function Unknown() {
  return (
    <>
      <Skeleton h={34} w={160} my={6} />
      <Skeleton h={8} my="md" />
      <Skeleton h={16} w={120} />
    </>
  );
}
