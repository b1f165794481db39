import { Center, Loader } from '@mantine/core';
import { checkSession, session } from './api/session.ts';
import { useStore } from './api/store.ts';
import { Pages } from './pages.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { ProblemNotice } from './parts/problem-notice.tsx';
import { Shell } from './shell/shell.tsx';

/** The address stays as it is while somebody signs in, so that they get to the page that they asked for. */
export function SessionGate() {
  const current = useStore(session);
  if (current.phase === 'in') {
    return (
      <Shell profile={current.profile}>
        <Pages />
      </Shell>
    );
  }
  if (current.phase === 'out') return <SignInPage hasEnded={current.ended} />;
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
