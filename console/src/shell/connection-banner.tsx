import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { api, connectionLost } from '../api/client.ts';
import { useStore } from '../api/store.ts';
import classes from './shell.module.css';

const ASK_AGAIN_MS = 3_000;

/** Says that the connection is lost, looks for it, and reads what is shown anew when it is back. */
export function ConnectionBanner(): ReactNode {
  const isLost = useStore(connectionLost);
  const queries = useQueryClient();
  useEffect(() => {
    if (!isLost) return;
    // A call that gets any answer says that it is back: client.ts.
    const timer = setInterval(() => void api.GET('/health').catch(() => {}), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      void queries.invalidateQueries();
    };
  }, [isLost, queries]);
  return (
    <div role="status">
      {isLost ? (
        <div className={classes.banner}>
          <IconPlugConnectedX size={16} aria-hidden />
          No connection to Everpost. Retrying. Nothing you typed is lost.
        </div>
      ) : null}
    </div>
  );
}
