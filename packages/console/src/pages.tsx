import { Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { sandbox } from './api/sandbox.ts';
import { useStore } from './api/store.ts';
import { PageSkeleton } from './parts/page-skeleton.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { TokensAreLive } from './pages/tokens/tokens-are-live.tsx';
import { ROUTES } from './routes.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { isCurrent } from './shell/navigation.ts';

/** The page of the address. Everything of it begins anew when the sandbox is entered or left. */
export function Pages() {
  const [path] = useLocation();
  const environment = useStore(sandbox) ?? 'live';
  const isLiveOnly = environment === 'sandbox' && isCurrent('/tokens', path);
  return (
    <ErrorBoundary key={`${environment} ${path}`}>
      <Suspense fallback={<PageSkeleton />}>
        {isLiveOnly ? (
          <TokensAreLive />
        ) : (
          <Switch>
            {ROUTES.map(({ path: pattern, page }) => (
              <Route key={pattern} path={pattern} component={page} />
            ))}
            <Route component={NotFoundPage} />
          </Switch>
        )}
      </Suspense>
    </ErrorBoundary>
  );
}
