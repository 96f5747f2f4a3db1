import type { ReactNode } from 'react';
import { SecretOnce } from '../../show/secret-once.tsx';

/** The signing secret of an endpoint, once; undefined: there is none to show. */
export function EndpointSecret({ secret, onStored }: { readonly secret: string | undefined; readonly onStored: () => void }): ReactNode {
  return (
    <SecretOnce what="signing secret" secret={secret} onStored={onStored}>
      Your receiver checks every call with it, by Standard Webhooks 1.0.
    </SecretOnce>
  );
}
