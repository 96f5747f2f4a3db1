const HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d+)?(?:[/?#]\S*)?$/u;
const EMAIL = /^[^\s@/:?#]+@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}$/u;

/** An address as people type it, as links need it: `acme.example/shop` gains `https://`, `ada@acme.example` gains `mailto:`. */
export function webAddress(typed: string): string {
  const address = typed.trim();
  if (EMAIL.test(address)) return `mailto:${address}`;
  return HOST.test(address) ? `https://${address}` : address;
}

/** Whether a link may have the address; of one with Liquid it is not known before. */
export function canLead(address: string): boolean {
  return /^(?:https?:|mailto:)/i.test(address.trim()) || /\{[{%]/.test(address);
}
