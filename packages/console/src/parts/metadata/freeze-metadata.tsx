import { describeCall } from '../../api/call.ts';
import { ActionRow } from '../action-row.tsx';
import { Section } from '../section.tsx';

/** @param tokenId of an NFT; null for the metadata of an ERC-20 contract */
export function FreezeMetadata({
  address,
  symbol,
  tokenId,
}: {
  address: string;
  symbol: string;
  tokenId: string | null;
}) {
  const which = tokenId === null ? 'the metadata of this token' : `the metadata of #${tokenId}`;
  return (
    <Section title="Freeze" description="So that holders know that nothing changes any more.">
      <ActionRow
        title={`Freeze ${which} for ever`}
        action="Freeze for ever"
        call={describeCall('post', '/tokens/{address}/metadata/freeze', {
          path: { address },
          body: tokenId === null ? {} : { tokenId },
        })}
        done="The metadata are frozen"
        danger={{
          symbol,
          question: `Nobody can change ${which} any more, not even the owner of the contract. This cannot be undone.`,
        }}
      >
        Nobody can change them any more.
      </ActionRow>
    </Section>
  );
}
