/** For the header Idempotency-Key. crypto.randomUUID() is there on https and localhost only. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
