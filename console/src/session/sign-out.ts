import { asFailure } from '../api/failure.ts';
import { notifyFailed } from '../show/notify.ts';
import { signOut } from './standing.ts';

/** In all tabs; where the server could not be told, everybody stays signed in, and that is said. */
export function signOutOrTell(): void {
  signOut().catch((error: unknown) => {
    const why = asFailure(error).kind === 'connection' ? 'no connection to Everpost' : 'Everpost is not responding';
    notifyFailed(`Not signed out: ${why}. Try again.`);
  });
}
