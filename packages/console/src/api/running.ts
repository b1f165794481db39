import { createStore } from './store.ts';

/** Work that goes on while its page is left, and that a closed tab would stop. */
export interface Running {
  /** What it is: "A list is minted". */
  name: string;
  /** Its page. */
  path: string;
  done: number;
  total: number;
}

/** At most one at a time; null while there is none. */
export const running = createStore<Running | null>(null);

/** The browser asks in words of its own whether the tab is to be closed. */
const askBefore = (event: BeforeUnloadEvent): void => event.preventDefault();

running.subscribe(() => {
  if (running.get()) addEventListener('beforeunload', askBefore);
  else removeEventListener('beforeunload', askBefore);
});
