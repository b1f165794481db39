import type { Migration } from '../migration.ts';

/**
 * Which contracts have something queued. A lane finds its own here, account by account, without reading the queues of
 * other lanes, and each queue by its contract, without reading those that wait for something else.
 */
export const waitingContracts: Migration = {
  name: '008-waiting-contracts',
  up: `
    alter table contract_lanes
      -- Null until a lane claims the contract.
      alter column signer drop not null,
      add column account_id uuid references accounts,
      -- True whenever an intent of the contract is queued; for a while also when none is any more.
      add column waiting boolean not null default false;
    update contract_lanes c
       set account_id = (select i.account_id from intents i where i.contract = c.contract order by i.number limit 1);
    insert into contract_lanes (contract, account_id, waiting)
    select distinct on (contract) contract, account_id, true from intents where status = 'queued'
        on conflict (contract) do update set waiting = true;
    alter table contract_lanes alter column account_id set not null;
    create index contract_lanes_waiting on contract_lanes (signer, account_id, contract) where waiting;

    drop index intents_queued;
    create index intents_queued on intents (contract, number) where status = 'queued';

    -- What all lanes have in flight fills one block. Null: as much as its limit.
    alter table transactions add column expected_gas bigint check (expected_gas > 0);
  `,
};
