import { rootUrl } from '../base.ts';

/** The path of a picture that was uploaded, below whatever PUBLIC_URL is. */
const IMAGE = /^https?:\/\/[^?#]*(\/images\/[0-9a-f-]{36}\/[0-9a-f]{64}\.(?:png|jpg|gif|webp))$/;

/** Where this page finds an uploaded picture: at its own host, whatever the address in mails is. undefined: it is of another host. */
export function ownImage(src: string): string | undefined {
  const [, path] = IMAGE.exec(src) ?? [];
  return path && rootUrl + path;
}
