import { Divider, Stack } from '@mantine/core';
import { describeCall } from '../../api/call.ts';
import { ActionRow } from '../action-row.tsx';
import { THEN_FOR_GOOD } from '../give-up.tsx';
import { Section } from '../section.tsx';

/** Freezes the metadata of one NFT. The service does not tell which are frozen, so that both buttons stand here. */
export function FreezeNft({
  address,
  symbol,
  tokenId,
}: {
  address: string;
  symbol: string;
  tokenId: string;
}) {
  const path = { address };
  const which = `the metadata of #${tokenId}`;
  return (
    <Section title="Freeze" description="So that holders know that nothing changes any more.">
      <Stack>
        <ActionRow
          title={`Freeze ${which} for ever`}
          action="Freeze for ever"
          call={describeCall('post', '/tokens/{address}/metadata/freeze', { path, body: { tokenId } })}
          done="The metadata are frozen"
          danger={{
            symbol,
            question: `Nobody can change ${which} any more, not even the owner of the contract. ${THEN_FOR_GOOD}`,
          }}
        >
          Nobody can change them any more.
        </ActionRow>
        <Divider color="var(--line)" />
        <ActionRow
          title={`Let ${which} change again`}
          action="Unfreeze"
          call={describeCall('delete', '/tokens/{address}/metadata/freeze', { path, query: { tokenId } })}
          done="The metadata can change"
        >
          Takes the freeze back, which can be done for a day, on a local chain not at all.
        </ActionRow>
      </Stack>
    </Section>
  );
}
