import { apiUrl } from '../base.ts';
import { SESSION_HEADER } from '../session/browser-session.ts';
import { sessionId } from '../session/standing.ts';
import { connectionLost, demandGood } from './client.ts';
import { lostConnection } from './failure.ts';

interface Uploading {
  /** Told how much of the form, of 0 to 1, is on its way. */
  readonly onProgress: (sent: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Sends a form with a file that may be large, which the browser reads from the disk as it goes; a fetch does not tell how far it is. Throws Failure, and
 * the reason of the signal.
 */
export async function upload<T>(path: string, form: FormData, { onProgress, signal }: Uploading): Promise<T> {
  const session = sessionId() ?? '';
  const response = await sent(path, form, session, onProgress, signal);
  await demandGood(response.clone(), session);
  return (await response.json()) as T;
}

function sent(path: string, form: FormData, session: string, onProgress: Uploading['onProgress'], signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', apiUrl + path);
    request.setRequestHeader(SESSION_HEADER, session);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => resolve(new Response(request.responseText, { status: request.status, headers: headersOf(request) }));
    request.onerror = () => {
      connectionLost.set(true);
      reject(lostConnection());
    };
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** Of an answer, what is read of its headers. */
function headersOf(request: XMLHttpRequest): Record<string, string> {
  const names = ['content-type', 'retry-after', 'x-request-id'];
  return Object.fromEntries(names.map((name) => [name, request.getResponseHeader(name) ?? '']));
}
