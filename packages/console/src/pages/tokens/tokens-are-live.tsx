import { Button } from '@mantine/core';
import { CreditCardIcon } from '@primer/octicons-react';
import { switchSandbox } from '../../api/sandbox.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

/** In place of every page of tokens while the sandbox is on: each of their buttons would go to the chain. */
export function TokensAreLive() {
  return (
    <>
      <PageHeader title="Tokens" />
      <EmptyState
        icon={<CreditCardIcon size={24} />}
        title="Tokens have no sandbox"
        actions={<Button onClick={() => switchSandbox(false)}>Leave the sandbox</Button>}
      >
        Whatever is done with a token goes to the chain and takes quota. In the sandbox you can try
        collections, webhooks and their intents.
      </EmptyState>
    </>
  );
}
