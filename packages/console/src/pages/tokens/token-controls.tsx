import { Divider, Stack } from '@mantine/core';
import { describeCall } from '../../api/call.ts';
import { ActionRow } from '../../parts/action-row.tsx';
import { Section } from '../../parts/section.tsx';
import { ForEver } from './for-ever.tsx';
import { ForceTransfer } from './force-transfer.tsx';
import { MintLimit } from './mint-limit.tsx';
import { Renounced } from './renounced.tsx';
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
        description="The most that the service may mint at once; what it minted refills evenly over 24 hours. It can only be lowered here; the owner of the contract can raise it on the chain."
      >
        <MintLimit {...state} />
      </Section>
      {token.type === 'ERC721' && (
        <Section title="Royalty" description="What marketplaces are asked to pay for each sale (ERC-2981).">
          <RoyaltyForm {...state} />
        </Section>
      )}
      {limits.recoverable && !limits.controlsRenounced && (
        <Section
          title="Move or burn a holding"
          description="This token was deployed as recoverable: a holding can be moved without the consent of its holder (ERC-7943)."
        >
          <ForceTransfer {...state} />
        </Section>
      )}
      <Section
        title="For ever"
        description="Each holds at once, and can be taken back for a day; on a local chain not at all. After that nobody can undo it, not even the owner of the contract."
      >
        <ForEver {...state} />
      </Section>
    </Stack>
  );
}

function Pause({ token, limits }: TokenState) {
  const path = { address: token.address };
  if (token.paused) {
    return (
      <ActionRow
        title="Resume"
        action="Resume"
        call={describeCall('post', '/tokens/{address}/unpause', { path })}
        done="The token is resumed"
      >
        Mints, burns, transfers and metadata are halted. Resuming allows all of them again.
      </ActionRow>
    );
  }
  if (limits.controlsRenounced) return <Renounced>Nobody can pause this token any more.</Renounced>;
  return (
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

function Lock({ token, limits }: TokenState) {
  const path = { address: token.address };
  if (token.transferLocked) {
    return (
      <ActionRow
        title="Unlock transfers"
        action="Unlock transfers"
        call={describeCall('post', '/tokens/{address}/unlock-transfers', { path })}
        done="Transfers are allowed again"
      >
        Holders can neither send nor approve. Unlocking allows both again.
      </ActionRow>
    );
  }
  if (limits.controlsRenounced) return <Renounced>Nobody can lock its transfers any more.</Renounced>;
  return (
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
