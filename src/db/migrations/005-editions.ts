import type { Migration } from '../migration.ts';

/** Several Operators side by side: which one a contract belongs to. */
export const editions: Migration = {
  name: '005-editions',
  up: `
    -- The Operators whose contracts this database has. Of all but one, contracts are only called, and none are made.
    create table operators (
      address bytea primary key check (octet_length(address) = 20),
      -- Its epoch when it was looked at last; new intents of its contracts belong to it. It never goes back.
      epoch bigint not null default 1 check (epoch > 0),
      -- New contracts belong to it.
      is_current boolean not null
    );
    create unique index operators_current on operators (is_current) where is_current;
    insert into operators (address, epoch, is_current) select operator, epoch, true from chain;

    -- Contracts that do not belong to the current one.
    create table contract_operators (
      contract bytea primary key check (octet_length(contract) = 20),
      operator bytea not null references operators
    );
    insert into contract_operators (contract, operator)
      select t.address, c.operator from tokens t, chain c where t.environment = 'live';

    -- A process of an earlier version would call every contract through one Operator: it fails instead.
    alter table chain drop column operator, drop column epoch;
  `,
};
