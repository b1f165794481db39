// Written from the migrations by `npm run generate`. Do not edit.

import type { Hex } from '../src/lib/hex.ts';

export interface Tables {
  accounts: {
    row: {
      id: string;
      email: string;
      password_hash: string;
      plan: 'BASIC' | 'PRO' | 'PRO_PLUS';
      wallet_address: Hex | null;
      created_at: Date;
      is_watched: boolean;
      slow_webhooks_until: Date | null;
      suspended_at: Date | null;
      gas_per_day: bigint | null;
      wallet_sequence: number;
    };
    optional: 'plan' | 'wallet_address' | 'created_at' | 'is_watched' | 'slow_webhooks_until' | 'suspended_at' | 'gas_per_day' | 'wallet_sequence';
    given: never;
  };
  archives: {
    row: {
      id: bigint;
      before: Date;
      file: string;
      sha256: Hex;
      last_number: bigint;
      deleted_at: Date | null;
    };
    optional: 'deleted_at';
    given: 'id';
  };
  attempts: {
    row: {
      hash: Hex;
      transaction_id: bigint;
      raw: Hex;
      max_fee_per_gas: string;
      max_priority_fee_per_gas: string;
      given_up: boolean;
      created_at: Date;
    };
    optional: 'given_up' | 'created_at';
    given: never;
  };
  audit_entries: {
    row: {
      number: bigint;
      created_at: Date;
      actor: 'account' | 'operator' | 'stranger';
      account_id: string | null;
      credential_id: string | null;
      address: string | null;
      user_agent: string | null;
      action: string;
      environment: 'live' | 'sandbox' | null;
      intent_id: string | null;
      details: unknown;
      numbers: string[] | null;
      intent_ids: string[] | null;
    };
    optional: 'created_at' | 'account_id' | 'credential_id' | 'address' | 'user_agent' | 'environment' | 'intent_id' | 'numbers' | 'intent_ids';
    given: 'number';
  };
  audit_head: {
    row: {
      only_row: boolean;
      number: bigint;
      hash: Hex;
    };
    optional: 'only_row';
    given: never;
  };
  audit_seals: {
    row: {
      first: bigint;
      hashes: Hex;
    };
    optional: never;
    given: never;
  };
  audit_start: {
    row: {
      only_row: boolean;
      number: bigint;
      hash: Hex;
    };
    optional: 'only_row';
    given: never;
  };
  balances: {
    row: {
      account_id: string;
      meter: 'mints' | 'credits' | 'gas';
      period: string;
      granted: bigint;
      held: bigint;
      committed: bigint;
      archived: bigint;
    };
    optional: 'granted' | 'held' | 'committed' | 'archived';
    given: never;
  };
  chain: {
    row: {
      only_row: boolean;
      chain_id: bigint;
      genesis_hash: Hex;
    };
    optional: 'only_row';
    given: never;
  };
  contracts: {
    row: {
      contract: Hex;
      account_id: string;
      operator: Hex | null;
      waiting: boolean;
    };
    optional: 'operator';
    given: never;
  };
  credentials: {
    row: {
      id: string;
      number: bigint;
      account_id: string;
      kind: 'session' | 'access_token' | 'sandbox_token' | 'api_key';
      environment: 'live' | 'sandbox';
      secret_hash: Hex;
      name: string | null;
      key_prefix: string | null;
      created_at: Date;
      expires_at: Date | null;
      revoked_at: Date | null;
      last_used_at: Date | null;
      session_id: string | null;
    };
    optional: 'environment' | 'name' | 'key_prefix' | 'created_at' | 'expires_at' | 'revoked_at' | 'last_used_at' | 'session_id';
    given: 'number';
  };
  deep_reorgs: {
    row: {
      id: bigint;
      seen_at: Date;
      needs_person: boolean;
      resolved_at: Date | null;
    };
    optional: 'seen_at' | 'needs_person' | 'resolved_at';
    given: 'id';
  };
  deployment: {
    row: {
      only_row: boolean;
      id: Hex;
      id_secret: Hex;
    };
    optional: 'only_row' | 'id' | 'id_secret';
    given: never;
  };
  fees_per_day: {
    row: {
      day: string;
      wei: string;
    };
    optional: never;
    given: never;
  };
  idempotency_records: {
    row: {
      account_id: string;
      environment: 'live' | 'sandbox';
      key: string;
      request_hash: Hex;
      intent_number: bigint | null;
      answer: unknown | null;
      created_at: Date;
    };
    optional: 'intent_number' | 'answer' | 'created_at';
    given: never;
  };
  intents: {
    row: {
      number: bigint;
      id: string;
      account_id: string;
      environment: 'live' | 'sandbox';
      kind: string;
      contract: Hex;
      target: Hex | null;
      calldata: Hex | null;
      operator: Hex | null;
      epoch: bigint | null;
      arguments: unknown;
      gas_estimate: number;
      gas_max: number;
      burnt_gas: number;
      retry_stage: number;
      is_control: boolean;
      was_requeued: boolean;
      in_doubt: boolean;
      status: 'queued' | 'submitted' | 'confirmed' | 'failed' | 'cancelled' | 'quarantined';
      phase: string;
      transaction_hash: Hex | null;
      sent_in: string[];
      decided_by: bigint | null;
      result: Hex | null;
      error_code: string | null;
      error_message: string | null;
      sequence: number;
      created_at: Date;
      updated_at: Date;
      final_at: Date | null;
      held_meter: string | null;
      held_amount: number | null;
      held_remaining: number | null;
      held_gas: number | null;
      charged_gas: number | null;
    };
    optional: 'target' | 'calldata' | 'operator' | 'epoch' | 'arguments' | 'gas_estimate' | 'gas_max' | 'burnt_gas' | 'retry_stage' | 'is_control' | 'was_requeued' | 'in_doubt' | 'transaction_hash' | 'sent_in' | 'decided_by' | 'result' | 'error_code' | 'error_message' | 'sequence' | 'created_at' | 'updated_at' | 'final_at' | 'held_meter' | 'held_amount' | 'held_remaining' | 'held_gas' | 'charged_gas';
    given: 'number';
  };
  invites: {
    row: {
      code_hash: Hex;
      hint: string;
      created_at: Date;
      used_by: string | null;
      used_at: Date | null;
      tries: number;
    };
    optional: 'created_at' | 'used_by' | 'used_at' | 'tries';
    given: never;
  };
  lanes: {
    row: {
      signer: Hex;
      term: bigint;
      holder: string | null;
      lease_until: Date;
      lease_ms: number;
      taken_at: Date | null;
      next_nonce: bigint;
      least_nonce: bigint;
      funded: boolean;
      retiring: boolean;
      buried: boolean;
      progressed_at: Date;
      is_sender: boolean;
      trouble: 'signer' | 'budget' | 'stuck' | null;
      trouble_since: Date | null;
    };
    optional: 'term' | 'holder' | 'lease_until' | 'lease_ms' | 'taken_at' | 'least_nonce' | 'funded' | 'retiring' | 'buried' | 'progressed_at' | 'is_sender' | 'trouble' | 'trouble_since';
    given: never;
  };
  login_attempts: {
    row: {
      key: string;
      points: number;
      expire: number | null;
    };
    optional: 'expire';
    given: never;
  };
  migration_releases: {
    row: {
      name: string;
      release: string;
      needs: string | null;
    };
    optional: 'needs';
    given: never;
  };
  nfts: {
    row: {
      contract: Hex;
      token_id: bigint;
      recipient: Hex;
      intent_number: bigint;
      transaction_hash: Hex | null;
      created_at: Date;
    };
    optional: 'transaction_hash' | 'created_at';
    given: never;
  };
  operators: {
    row: {
      address: Hex;
      epoch: bigint;
      tag: Hex | null;
      raised_in: bigint | null;
      is_current: boolean;
    };
    optional: 'epoch' | 'tag' | 'raised_in';
    given: never;
  };
  paused_operators: {
    row: {
      signer: Hex;
      operator: Hex;
      reason: 'stopped' | 'wrong-epoch' | 'no-role';
      since: Date;
    };
    optional: 'since';
    given: never;
  };
  quarantined: {
    row: {
      intent_number: bigint;
      error: string;
      since: Date;
    };
    optional: 'since';
    given: never;
  };
  reader: {
    row: {
      only_row: boolean;
      term: bigint;
      holder: string | null;
      lease_until: Date;
      lease_ms: number;
      final_number: bigint | null;
      final_hash: Hex | null;
      head_number: bigint | null;
      head_hash: Hex | null;
      head_at: Date | null;
      looked_at: Date | null;
      first_number: bigint | null;
      first_hash: Hex | null;
      silent_since: Date | null;
    };
    optional: 'only_row' | 'term' | 'holder' | 'lease_until' | 'lease_ms' | 'final_number' | 'final_hash' | 'head_number' | 'head_hash' | 'head_at' | 'looked_at' | 'first_number' | 'first_hash' | 'silent_since';
    given: never;
  };
  server: {
    row: {
      only_row: boolean;
      identity: string;
      is_suspect: boolean;
      lost_since: Date | null;
      losses: number;
      emptied_up_to: bigint;
    };
    optional: 'only_row' | 'identity' | 'is_suspect' | 'lost_since' | 'losses' | 'emptied_up_to';
    given: never;
  };
  tokens: {
    row: {
      address: Hex;
      intent_number: bigint;
      account_id: string;
      environment: 'live' | 'sandbox';
      type: 'ERC20' | 'ERC721';
      name: string;
      symbol: string;
      decimals: number | null;
      base_uri: string | null;
      permissionless: boolean;
      recoverable: boolean;
      created_at: Date;
      deployed_at: Date | null;
    };
    optional: 'decimals' | 'base_uri' | 'recoverable' | 'created_at' | 'deployed_at';
    given: never;
  };
  transactions: {
    row: {
      id: bigint;
      signer: Hex;
      nonce: bigint;
      status: 'open' | 'mined' | 'final' | 'displaced';
      is_noop: boolean;
      was_refused: boolean;
      gas_limit: bigint;
      expected_gas: bigint;
      expected_fee: string;
      fee: string | null;
      operator: Hex;
      epoch: bigint;
      calldata: Hex;
      intent_numbers: string[];
      gas_caps: number[];
      mined_hash: Hex | null;
      block_number: bigint | null;
      block_hash: Hex | null;
      created_at: Date;
    };
    optional: 'status' | 'is_noop' | 'was_refused' | 'expected_fee' | 'fee' | 'intent_numbers' | 'gas_caps' | 'mined_hash' | 'block_number' | 'block_hash' | 'created_at';
    given: 'id';
  };
  unknown_effects: {
    row: {
      operator: Hex;
      epoch: bigint;
      number: bigint;
      client_key: Hex;
      transaction_hash: Hex;
      block_number: bigint;
      noted_at: Date;
      intent_number: bigint | null;
    };
    optional: 'noted_at' | 'intent_number';
    given: never;
  };
  webhook_deliveries: {
    row: {
      number: bigint;
      id: string;
      webhook_id: string;
      account_id: string;
      event: string;
      intent_id: string | null;
      payload: string;
      status: 'pending' | 'delivered' | 'failed';
      attempts: number;
      response_status: number | null;
      error: string | null;
      next_attempt_at: Date | null;
      attempted_at: Date | null;
      created_at: Date;
      expires_at: Date;
    };
    optional: 'intent_id' | 'status' | 'attempts' | 'response_status' | 'error' | 'next_attempt_at' | 'attempted_at' | 'created_at' | 'expires_at';
    given: 'number';
  };
  webhooks: {
    row: {
      id: string;
      number: bigint;
      account_id: string;
      environment: 'live' | 'sandbox';
      url: string;
      events: string[];
      enabled: boolean;
      disabled_reason: 'GONE' | 'FAILING' | null;
      secret: Hex | null;
      previous_secret: Hex | null;
      previous_secret_until: Date | null;
      failing_since: Date | null;
      created_at: Date;
      updated_at: Date;
      deleted_at: Date | null;
    };
    optional: 'enabled' | 'disabled_reason' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'failing_since' | 'created_at' | 'updated_at' | 'deleted_at';
    given: 'number';
  };
}
