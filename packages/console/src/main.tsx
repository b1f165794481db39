import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query.ts';
import { startSession } from './api/session.ts';
import { App } from './app.tsx';
import { readNonce } from './nonce.ts';
import { reloadOnce } from './reload.ts';

// For the styles that react-remove-scroll adds while a dialogue is open: the policy of the page takes them with the
// nonce alone.
Object.assign(globalThis, { __webpack_nonce__: readNonce() });
// A newer build is served since this page was opened: the part that it asks for is gone.
window.addEventListener('vite:preloadError', (event) => reloadOnce() && event.preventDefault());

startSession(() => queryClient.clear());
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
