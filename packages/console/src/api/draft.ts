import { createStore } from './store.ts';

/** Whether something was typed into a form of the open page that is not sent yet: who would lose it is asked before. */
export const draft = createStore(false);

/** For `onInput` around the pages. What is typed to search or to filter is not sent anywhere. */
export function noteTyping({ target }: { target: EventTarget }): void {
  if (target instanceof Element && target.closest('form, [data-draft]')) draft.set(true);
}
