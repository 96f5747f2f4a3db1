/** A part of a whole in percent, to one digit; a dash where there is no whole. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : percentWords((100 * part) / whole);
}

/** A share that is in percent already. */
export function percentWords(share: number): string {
  return `${share.toLocaleString('en', { maximumFractionDigits: 1 })} %`;
}

/** A share of 0 to 1 in percent, to two digits; a dash where there is none. */
export function rateWords(rate: number | null): string {
  return rate === null ? '–' : `${(100 * rate).toLocaleString('en', { maximumFractionDigits: 2 })} %`;
}
