import { Divider, Stack } from '@mantine/core';
import { describeCall } from '../../api/call.ts';
import { GiveUp, THEN_FOR_GOOD } from '../../parts/give-up.tsx';
import type { TokenState } from './token-state.ts';

/** What an issuer can give up, so that holders need not trust in it. */
export function ForEver(state: TokenState) {
  return (
    <Stack>
      <Metadata {...state} />
      <Divider color="var(--line)" />
      <Minting {...state} />
      <Divider color="var(--line)" />
      <Controls {...state} />
    </Stack>
  );
}

function Metadata({ token: { address, symbol, type }, limits }: TokenState) {
  const path = { address };
  const isNft = type === 'ERC721';
  return (
    <GiveUp
      forGoodAt={limits.metadataFrozenForGoodAt}
      givenUp="All metadata are frozen"
      giveUp={{
        title: 'Freeze all metadata',
        action: 'Freeze all',
        call: describeCall('post', '/tokens/{address}/metadata/freeze', { path, body: {} }),
        done: 'All metadata are frozen',
        children: isNft
          ? 'Of the contract and of each NFT that exists. A single NFT is frozen under Metadata.'
          : 'Nobody can change the metadata of this token any more.',
        danger: {
          symbol,
          question: isNft
            ? `Nobody can change the metadata of the contract or of any NFT that exists. One that is minted later still gets metadata with its mint. ${THEN_FOR_GOOD}`
            : `Nobody can change the metadata of this token any more, not even its owner. ${THEN_FOR_GOOD}`,
        },
      }}
      takeBack={{
        title: 'Let metadata change again',
        action: 'Unfreeze all',
        call: describeCall('delete', '/tokens/{address}/metadata/freeze', { path }),
        done: 'Metadata can change again',
      }}
    />
  );
}

function Minting({ token: { address, symbol }, limits }: TokenState) {
  const path = { address };
  return (
    <GiveUp
      forGoodAt={limits.mintClosesForGoodAt}
      givenUp="Minting is closed"
      giveUp={{
        title: 'Close minting',
        action: 'Close minting',
        call: describeCall('post', '/tokens/{address}/close-mint', { path }),
        done: 'Minting is closed',
        children: 'Nobody can mint any more, so that holders know that the supply never grows.',
        danger: {
          symbol,
          question: `Nobody can mint this token any more, its owner on the chain included. The supply can only fall from now on. ${THEN_FOR_GOOD}`,
        },
      }}
      takeBack={{
        title: 'Open minting again',
        action: 'Open minting',
        call: describeCall('delete', '/tokens/{address}/close-mint', { path }),
        done: 'Minting is open again',
      }}
    />
  );
}

function Controls({ token: { address, symbol }, limits }: TokenState) {
  const path = { address };
  return (
    <GiveUp
      forGoodAt={limits.controlsRenouncedForGoodAt}
      givenUp="Control over holders is given up"
      giveUp={{
        title: 'Give up control over holders',
        action: 'Give up control',
        call: describeCall('post', '/tokens/{address}/renounce-controls', { path }),
        done: 'Control is given up',
        children:
          'Nobody can pause, lock, freeze or move holdings any more, so that holders need not trust you.',
        danger: {
          symbol,
          question: `Nobody can pause this token, lock its transfers, freeze an account or move a holding by force any more, its owner on the chain included. What is paused, locked or frozen now can still be released. ${THEN_FOR_GOOD}`,
        },
      }}
      takeBack={{
        title: 'Take control back',
        action: 'Take control back',
        call: describeCall('delete', '/tokens/{address}/renounce-controls', { path }),
        done: 'You have control again',
      }}
    />
  );
}
