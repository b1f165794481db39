import { notifications } from '@mantine/notifications';
import type { ApiProblem } from '../api/problem.ts';
import { explainProblem } from './explain-problem.ts';

/** For what has no place on the page of its own; a form shows its problem itself, by `ProblemNotice`. */
export function notifyProblem(problem: ApiProblem): void {
  const { title, advice } = explainProblem(problem);
  notifications.show({
    color: 'red',
    title,
    message: `${problem.message} ${advice}`.trim(),
    autoClose: 10_000,
  });
}

let last = '';

/** Says what is so now, in the place of what was said before: two messages would cover what comes next. */
export function notifyDone(message: string): void {
  notifications.hide(last);
  last = notifications.show({ color: 'green', message });
}
