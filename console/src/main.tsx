import '@mantine/core/styles.layer.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createQueryClient } from './api/query-client.ts';
import { App, loadSignedIn } from './app.tsx';
import { consolePath } from './base.ts';
import { loadAddress } from './pages/index.ts';
import { openEarlyAnswers } from './session/early-answers.ts';
import { takeKeyOfLink } from './session/key-of-link.ts';
import { arrive } from './session/standing.ts';
import { cssVariables, theme } from './theme.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? '';
// For the libraries within Mantine that write style elements of their own: the name is what `get-nonce` reads.
Object.assign(window, { __webpack_nonce__: nonce });

loadSignedIn();
void loadAddress(arrive(takeKeyOfLink()).then(openEarlyAnswers));
window.addEventListener('hashchange', () => {
  const key = takeKeyOfLink();
  if (key !== undefined) void arrive(key);
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={createQueryClient()}>
        <Router base={consolePath}>
          <App />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
