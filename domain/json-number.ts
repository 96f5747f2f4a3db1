/**
 * Whether a number of a JSON text would be another one once it is read: too large for a double, so small that it becomes 0, or a whole
 * number with more digits than a double keeps (RFC 8259 6). The digits of fractions are rounded, as everywhere.
 */
export function isLostNumber(text: string): boolean {
  if (text.length < 300 && !/e/i.test(text)) {
    if (!text.includes('.') && String(Number(text)) === text) return false;
    if (text.includes('.') && !text.endsWith('0')) return false;
  }
  const written = decimalOf(text);
  if (!written) return false;
  const value = Number(text);
  if (!Number.isFinite(value) || value === 0) return true;
  const kept = decimalOf(String(value));
  return written.exponent >= 0 && (written.digits !== kept?.digits || written.exponent !== kept.exponent);
}

/** The number is `digits` times ten to the power of `exponent`, without zeros at either end of the digits. undefined for 0 and for no number. */
function decimalOf(text: string): { readonly digits: string; readonly exponent: number } | undefined {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  let first = 0;
  while (all[first] === '0') first++;
  let end = all.length;
  while (end > first && all[end - 1] === '0') end--;
  if (first === end) return undefined;
  return { digits: all.slice(first, end), exponent: Number(power) - fraction.length + all.length - end };
}
