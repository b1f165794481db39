import { useLocation } from 'wouter';
import type { components } from '../../../../generated/api.ts';
import type { Sent } from '../api/send-call.ts';
import { useSubmission } from '../api/submission.ts';
import type { Submission } from '../api/submission.ts';
import { notifyDone } from './notify.ts';

type Accepted = components['schemas']['IntentAccepted'];

/**
 * A submission of a write to the chain. One that is still under way when the service answers (202) leads to its intent;
 * for any other, `done` is said and `onDone` called.
 */
export function useWrite<Answer>({
  done,
  onDone,
}: {
  /** What is so now: "The token is paused". */
  done?: string;
  onDone?: (sent: Sent<Answer>) => void;
} = {}): Submission<Answer | Accepted> {
  const [, navigate] = useLocation();
  return useSubmission<Answer | Accepted>({
    onDone: (sent) => {
      if (sent.status === 202) {
        notifyDone('It is accepted, and not on the chain yet. This page shows how far it is.');
        navigate(`/intents/${sent.intentId}`);
        return;
      }
      if (done !== undefined) notifyDone(done);
      onDone?.(sent as Sent<Answer>);
    },
  });
}
