import { Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { ActionRow } from './action-row.tsx';
import { useIsPast } from './tick.ts';
import { When } from './when.tsx';

type Action = ComponentProps<typeof ActionRow>;

/** What every question says before something is given up for ever. */
export const THEN_FOR_GOOD =
  'This holds at once. For a day you can take it back, on a local chain not at all; after that nobody can undo it.';

/** Whether what was given up can be taken back. @param forGoodAt from when on it cannot */
export function TakenBackUntil({ forGoodAt }: { forGoodAt: string }) {
  if (useIsPast(forGoodAt)) return 'Nobody can undo it';
  return (
    <>
      It can be taken back until <When at={forGoodAt} />
    </>
  );
}

/** What can be given up for ever, and taken back until that is for good. */
export function GiveUp({
  forGoodAt,
  givenUp,
  giveUp,
  takeBack,
}: {
  /** From when on it cannot be taken back; null while it is not given up. */
  forGoodAt: string | null;
  /** What is so then: "Minting is closed". */
  givenUp: string;
  giveUp: Action;
  takeBack: Omit<Action, 'children'>;
}) {
  const isForGood = useIsPast(forGoodAt);
  if (forGoodAt === null) return <ActionRow {...giveUp} />;
  const state = (
    <>
      {givenUp}. <TakenBackUntil forGoodAt={forGoodAt} />.
    </>
  );
  if (!isForGood) return <ActionRow {...takeBack}>{state}</ActionRow>;
  return (
    <Text size="sm" c="dimmed">
      {state}
    </Text>
  );
}
