import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { CONSOLE_PATH } from './api/addresses.ts';
import { queryClient } from './api/query.ts';
import { readNonce } from './nonce.ts';
import { SessionGate } from './session-gate.tsx';
import { theme, variables } from './theme.ts';

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={readNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="top-center" containerWidth={380} autoClose={5_000} className="toasts" />
        <Router base={CONSOLE_PATH}>
          <SessionGate />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
