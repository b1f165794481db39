import { Divider, Stack, Text } from '@mantine/core';
import { describeCall } from '../../api/call.ts';
import { ActionRow } from '../../parts/action-row.tsx';
import { Section } from '../../parts/section.tsx';
import { ForceTransfer } from './force-transfer.tsx';
import { MintLimit } from './mint-limit.tsx';
import { RoyaltyForm } from './royalty-form.tsx';
import type { TokenState } from './token-state.ts';

export function TokenControls(state: TokenState) {
  const { token, limits } = state;
  return (
    <Stack gap="lg">
      <Section title="Stop and resume" description="For an emergency. Both can be undone, at once.">
        <Stack>
          <Pause {...state} />
          <Divider color="var(--line)" />
          <Lock {...state} />
        </Stack>
      </Section>
      <Section
        title="Limit per day"
        description="How much the service may mint in a day (UTC). It can only be lowered here; the owner of the contract can raise it on the chain."
      >
        <MintLimit {...state} />
      </Section>
      {token.type === 'ERC721' && (
        <Section title="Royalty" description="What marketplaces are asked to pay for each sale (ERC-2981).">
          <RoyaltyForm {...state} />
        </Section>
      )}
      {limits.recoverable && (
        <Section
          title="Move or burn a holding"
          description="This token was deployed as recoverable: a holding can be moved without the consent of its holder (ERC-7943)."
        >
          <ForceTransfer {...state} />
        </Section>
      )}
      <Section title="For ever" description="Nobody can undo these, not even the owner of the contract.">
        <ForEver {...state} />
      </Section>
    </Stack>
  );
}

function Pause({ token }: TokenState) {
  const path = { address: token.address };
  return token.paused ? (
    <ActionRow
      title="Resume"
      action="Resume"
      call={describeCall('post', '/tokens/{address}/unpause', { path })}
      done="The token is resumed"
    >
      Mints, burns, transfers and metadata are halted. Resuming allows all of them again.
    </ActionRow>
  ) : (
    <ActionRow
      title="Pause everything"
      action="Pause"
      call={describeCall('post', '/tokens/{address}/pause', { path })}
      done="The token is paused"
      danger={{
        symbol: token.symbol,
        question:
          'Mints, burns, transfers and changes of metadata stop for everybody, until you resume the token.',
      }}
    >
      Halts mints, burns, transfers and metadata for everybody.
    </ActionRow>
  );
}

function Lock({ token }: TokenState) {
  const path = { address: token.address };
  return token.transferLocked ? (
    <ActionRow
      title="Unlock transfers"
      action="Unlock transfers"
      call={describeCall('post', '/tokens/{address}/unlock-transfers', { path })}
      done="Transfers are allowed again"
    >
      Holders can neither send nor approve. Unlocking allows both again.
    </ActionRow>
  ) : (
    <ActionRow
      title="Lock transfers"
      action="Lock transfers"
      call={describeCall('post', '/tokens/{address}/lock-transfers', { path })}
      done="Transfers are locked"
      danger={{
        symbol: token.symbol,
        question:
          'No holder can send the token or approve others, until you unlock transfers. You can still mint and change metadata.',
      }}
    >
      Holders can neither send nor approve; you can still mint.
    </ActionRow>
  );
}

function ForEver({ token, limits }: TokenState) {
  const path = { address: token.address };
  return (
    <Stack>
      {token.type === 'ERC721' && (
        <>
          <ActionRow
            title="Freeze all metadata"
            action="Freeze all"
            call={describeCall('post', '/tokens/{address}/metadata/freeze', { path, body: {} })}
            done="All metadata are frozen"
            danger={{
              symbol: token.symbol,
              question:
                'Nobody can change the metadata of the contract or of any NFT that exists. One that is minted later still gets metadata with its mint. This cannot be undone.',
            }}
          >
            Of the contract and of each NFT that exists. A single NFT is frozen under Metadata.
          </ActionRow>
          <Divider color="var(--line)" />
        </>
      )}
      {limits.mintClosed ? (
        <Text size="sm" c="dimmed">
          Minting is closed for ever.
        </Text>
      ) : (
        <ActionRow
          title="Close minting"
          action="Close minting"
          call={describeCall('post', '/tokens/{address}/close-mint', { path })}
          done="Minting is closed for ever"
          danger={{
            symbol: token.symbol,
            question:
              'Nobody can mint this token any more, its owner on the chain included. The supply can only fall from now on. This cannot be undone.',
          }}
        >
          Nobody can mint any more, so that holders know that the supply never grows.
        </ActionRow>
      )}
    </Stack>
  );
}
