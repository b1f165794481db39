import type { PausedLane } from '../store/backlog.ts';

/** Says why a lane is paused, or the calls of an Operator are, and what lets it go on, one sentence each. */
export function explainPause({ signer, reason, operator }: PausedLane): { cause: string; action: string } {
  switch (reason) {
    case 'stopped':
      return {
        cause: `A guardian or the admin has stopped the execution of the Operator ${operator}.`,
        action: 'Let one of them run "execution start"; the service goes on by itself.',
      };
    case 'wrong-epoch':
      return {
        cause: `The Operator ${operator} is in another epoch than this database: an endpoint lags, or another database has raised it.`,
        action:
          'Wait some blocks: if another database has, the service says so, and stops. If it lasts, check the endpoints of RPC_URL.',
      };
    case 'no-role':
      return {
        cause: `The signer ${signer} is not an executor of the Operator ${operator}.`,
        action: `Run "signers grant ${signer}", or move on to another signer with "signers rotate".`,
      };
    case 'signer':
      return {
        cause: `The key of the signer ${signer} does not sign.`,
        action: 'Check the key service; the log has its answer. The lane goes on by itself.',
      };
    case 'budget':
      return {
        cause:
          'The signers have spent the fees of the day, MAX_FEES_PER_DAY, but for what is kept for brakes.',
        action:
          'Nothing is lost: sending goes on at midnight (UTC), or after a restart with a higher MAX_FEES_PER_DAY.',
      };
    case 'stuck':
      return {
        cause: `Blocks go by without the first transaction of the signer ${signer}.`,
        action: `Look at "lanes": if nothing changes although the bids rise, run "lanes heal ${signer}".`,
      };
  }
}
