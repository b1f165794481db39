import { Center, Loader } from '@mantine/core';
import { Activity } from 'react';
import { checkSession, session } from './api/session.ts';
import { useStore } from './api/store.ts';
import { Pages } from './pages.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { ProblemNotice } from './parts/problem-notice.tsx';
import { Shell } from './shell/shell.tsx';

/**
 * The address stays as it is while somebody signs in, so that they get to the page that they asked for. Where a session
 * ended by itself, what was typed waits unseen for the same account.
 */
export function SessionGate() {
  const current = useStore(session);
  if (current.phase === 'in' || current.phase === 'out') {
    const owner = current.phase === 'in' ? current.profile : current.ended;
    return (
      <>
        {owner && (
          <Activity key={owner.id} mode={current.phase === 'in' ? 'visible' : 'hidden'}>
            <Shell profile={owner}>
              <Pages />
            </Shell>
          </Activity>
        )}
        {current.phase === 'out' && <SignInPage hasEnded={owner !== null} />}
      </>
    );
  }
  return (
    <Center mih="100vh" p="md" component="main">
      {current.phase === 'unknown' ? (
        <ProblemNotice problem={current.problem} onRetry={() => void checkSession()} />
      ) : (
        <Loader aria-label="Loading" />
      )}
    </Center>
  );
}
