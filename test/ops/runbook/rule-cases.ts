/** Samples of series, one a minute, as `promtool test rules` writes them: `0+5x60` begins at 0 and grows by 5. */
export type Series = Readonly<Record<string, string>>;

/** A state of the service in which an alert fires, beside one that looks most like it and in which it does not. */
export interface RuleCase {
  alert: string;
  /** What is ill, where an alert has several cases. */
  name?: string;
  ill: Series;
  well: Series;
}

const STEADY = 'x90';
const always = (value: number): string => `${value}${STEADY}`.replace('x', '+0x');
/** A counter that grows by so much a minute. */
const growing = (by: number): string => `0+${by}${STEADY}`;
/** Grows by so much once, in the last but one of the minutes looked at. */
const once = (by: number): string => `0x58 ${by}${STEADY}`;
/** Is there for half an hour, and is then not known to Prometheus any more. */
const gone = '1x30 _x60';

const signer = (name: string, values: Readonly<Record<string, string>>): Series =>
  Object.fromEntries(
    Object.entries(values).map(([metric, samples]) => [`mintmark_${metric}{signer="${name}"}`, samples]),
  );

/**
 * Verdicts of an outcome, ten a minute, that took longer than the upper bound of one bucket and no longer than the next
 * one.
 */
const verdicts = (outcome: string, over: number, upTo: number): Series =>
  Object.fromEntries([
    [`mintmark_intent_verdict_seconds_bucket{outcome="${outcome}",le="${over}"}`, growing(0)],
    [`mintmark_intent_verdict_seconds_bucket{outcome="${outcome}",le="${upTo}"}`, growing(10)],
    [`mintmark_intent_verdict_seconds_bucket{outcome="${outcome}",le="+Inf"}`, growing(10)],
    [`mintmark_intent_verdict_seconds_count{outcome="${outcome}"}`, growing(10)],
  ]);

const fees = (today: number, most: number): Series => ({
  mintmark_fees_today_ether: always(today),
  mintmark_max_fees_per_day_ether: always(most),
});

/** A gauge without labels, or with those that the name has. */
const gauge = (name: string, ill: number, well: number): Pick<RuleCase, 'ill' | 'well'> => ({
  ill: { [`mintmark_${name}`]: always(ill) },
  well: { [`mintmark_${name}`]: always(well) },
});

const counter = (name: string, ill: string, well: string): Pick<RuleCase, 'ill' | 'well'> => ({
  ill: { [`mintmark_${name}`]: ill },
  well: { [`mintmark_${name}`]: well },
});

/** In the order of ops/alerts.yaml. */
export const ruleCases: readonly RuleCase[] = [
  {
    alert: 'MintmarkDown',
    name: 'one of two processes does not answer',
    ill: { 'up{job="mintmark",instance="a"}': always(0), 'up{job="mintmark",instance="b"}': always(1) },
    well: { 'up{job="mintmark",instance="c"}': always(1), 'up{job="other",instance="d"}': always(0) },
  },
  {
    alert: 'MintmarkDown',
    name: 'Prometheus knows no process of one deployment any more',
    ill: { 'up{job="mintmark",instance="a"}': gone },
    well: { 'up{job="mintmark",instance="b"}': always(1) },
  },
  { alert: 'MintmarkNotReady', ...gauge('ready', 0, 1) },
  { alert: 'MintmarkLaneStalled', ...gauge('lane_stalled_seconds{signer="a"}', 61, 59) },
  { alert: 'MintmarkQueueLong', ...gauge('oldest_open_intent_seconds{status="queued"}', 601, 599) },
  { alert: 'MintmarkIntentStuck', ...gauge('oldest_open_intent_seconds{status="submitted"}', 301, 299) },
  {
    // One key may serve two deployments, each on a chain of its own.
    alert: 'MintmarkLaneUnheld',
    ill: signer('a', { lane_held: always(0), lane_retiring: always(0) }),
    well: {
      ...signer('a', { lane_held: always(1), lane_retiring: always(0) }),
      ...signer('b', { lane_held: always(0), lane_retiring: always(1) }),
    },
  },
  {
    alert: 'MintmarkLanePaused',
    ill: { 'mintmark_lane_paused{signer="a",operator="o",reason="stopped"}': always(1) },
    well: {
      'mintmark_lane_paused{signer="a",operator="o",reason="stopped"}': always(0),
      'mintmark_lane_paused{signer="a",operator="",reason="budget"}': always(1),
    },
  },
  {
    alert: 'MintmarkSignerUnfunded',
    ill: signer('a', { lane_funded: always(0), lane_retiring: always(0) }),
    well: {
      ...signer('a', { lane_funded: always(1), lane_retiring: always(0) }),
      ...signer('b', { lane_funded: always(0), lane_retiring: always(1) }),
    },
  },
  {
    alert: 'MintmarkSignerLow',
    ill: signer('a', { signer_balance_ether: always(0.09), lane_retiring: always(0) }),
    well: {
      ...signer('a', { signer_balance_ether: always(0.11), lane_retiring: always(0) }),
      ...signer('b', { signer_balance_ether: always(0.01), lane_retiring: always(1) }),
    },
  },
  { alert: 'MintmarkFeesSpent', ill: fees(0.5, 0.5), well: fees(0.4, 2) },
  { alert: 'MintmarkFeesSpent', name: 'beside one without a limit', ill: fees(0.5, 0.5), well: fees(9, 0) },
  { alert: 'MintmarkFeesHigh', ill: fees(0.4, 0.5), well: fees(0.7, 2) },
  {
    alert: 'MintmarkNonceStuck',
    ill: signer('a', { lane_next_nonce: always(9), chain_nonce: always(7), lane_retiring: always(0) }),
    well: {
      ...signer('a', { lane_next_nonce: '2+1x90', chain_nonce: growing(1), lane_retiring: always(0) }),
      ...signer('b', { lane_next_nonce: always(7), chain_nonce: always(7), lane_retiring: always(0) }),
      // It gave up what was in flight.
      ...signer('c', { lane_next_nonce: always(9), chain_nonce: always(7), lane_retiring: always(1) }),
      'mintmark_lane_transactions{signer="c",state="open"}': always(0),
    },
  },
  {
    alert: 'MintmarkForeignNonce',
    ill: signer('a', { lane_next_nonce: always(7), chain_nonce: always(8), lane_retiring: always(0) }),
    well: {
      ...signer('a', { lane_next_nonce: always(9), chain_nonce: always(7), lane_retiring: always(0) }),
      // Somebody has moved its ether.
      ...signer('b', { lane_next_nonce: always(7), chain_nonce: always(8), lane_retiring: always(1) }),
    },
  },
  { alert: 'MintmarkRpcUnreachable', ...gauge('rpc_unreachable_seconds{instance="a"}', 31, 29) },
  { alert: 'MintmarkRpcFailover', ...gauge('rpc_endpoint_in_use{instance="a"}', 2, 1) },
  {
    alert: 'MintmarkRpcEndpointFailing',
    ill: {
      'mintmark_rpc_errors_total{reason="unreachable",endpoint="1"}': growing(6),
      mintmark_rpc_calls_total: growing(100),
    },
    well: {
      'mintmark_rpc_errors_total{reason="unreachable",endpoint="1"}': growing(6),
      'mintmark_rpc_errors_total{reason="refused",endpoint="1"}': growing(900),
      mintmark_rpc_calls_total: growing(1_000),
    },
  },
  { alert: 'MintmarkChainUnread', ...gauge('chain_unread_seconds', 61, 59) },
  { alert: 'MintmarkHeadStandsStill', ...gauge('head_age_seconds', 121, 119) },
  {
    alert: 'MintmarkServerErrors',
    ill: {
      'mintmark_http_request_duration_seconds_count{status="500"}': growing(2),
      'mintmark_http_request_duration_seconds_count{status="200"}': growing(98),
    },
    well: {
      'mintmark_http_request_duration_seconds_count{status="500"}': growing(2),
      'mintmark_http_request_duration_seconds_count{status="422"}': growing(998),
    },
  },
  {
    alert: 'MintmarkSlowVerdicts',
    name: 'beside one with 12 confirmations of 12 s',
    ill: verdicts('confirmed', 60, 120),
    well: { ...verdicts('confirmed', 10, 30), ...verdicts('final', 120, 300) },
  },
  {
    alert: 'MintmarkSlowVerdicts',
    name: 'where one block is final',
    ill: verdicts('final', 60, 120),
    well: verdicts('final', 1, 2.5),
  },
  {
    alert: 'MintmarkFailures',
    ill: { ...verdicts('failed', 1, 2.5), mintmark_intents_accepted_total: growing(100) },
    well: { ...verdicts('failed', 1, 2.5), mintmark_intents_accepted_total: growing(1_000) },
  },
  { alert: 'MintmarkReverts', ...counter('reverted_calls_total', growing(2), growing(1)) },
  {
    alert: 'MintmarkGasOneAccount',
    ill: { mintmark_gas_top_account_ratio: always(0.6), mintmark_gas_today: always(21e6) },
    well: { mintmark_gas_top_account_ratio: always(0.6), mintmark_gas_today: always(19e6) },
  },
  { alert: 'MintmarkQuarantine', ...gauge('intents_open{status="quarantined"}', 1, 0) },
  {
    alert: 'MintmarkReorg',
    ...counter('intent_verdict_seconds_count{outcome="retracted"}', once(1), always(1)),
  },
  { alert: 'MintmarkDeepReorg', ...counter('deep_reorgs_total{instance="a"}', once(1), always(1)) },
  {
    alert: 'MintmarkDeepReorg',
    name: 'of which a process that was started since knows nothing',
    ill: {
      'mintmark_deep_reorgs_total{instance="a"}': '3x30 4x20 _x40',
      'mintmark_deep_reorgs_total{instance="b"}': '_x52 4x40',
    },
    well: { 'mintmark_deep_reorgs_total{instance="a"}': always(4) },
  },
  { alert: 'MintmarkUnderbid', ...counter('transactions_replaced_total', growing(1), once(9)) },
  { alert: 'MintmarkForeignTransactions', ...counter('foreign_transactions_total', once(1), always(1)) },
  { alert: 'MintmarkNonces', ...counter('gaps_filled_total', once(1), always(1)) },
  { alert: 'MintmarkDatabaseBusy', ...gauge('database_connections{state="waited_for",instance="a"}', 11, 9) },
  { alert: 'MintmarkJobsLate', ...gauge('oldest_due_job_seconds{task="t"}', 301, 299) },
  {
    alert: 'MintmarkWebhooksFailing',
    ill: {
      'mintmark_webhook_deliveries_total{outcome="to_retry"}': growing(6),
      'mintmark_webhook_deliveries_total{outcome="delivered"}': growing(4),
    },
    well: {
      'mintmark_webhook_deliveries_total{outcome="to_retry"}': growing(6),
      'mintmark_webhook_deliveries_total{outcome="delivered"}': growing(40),
    },
  },
  { alert: 'MintmarkFailedSignIns', ...gauge('audited_recently{action="sign_in_failed"}', 101, 99) },
  { alert: 'MintmarkNewKeys', ...gauge('audited_recently{action="key_created"}', 21, 19) },
  { alert: 'MintmarkAuditUnsealed', ...gauge('audit_unsealed_seconds', 61, 59) },
];
