/** A share of 0 to 1 as people write it, to two digits: `0.34 %`. */
export function percentWords(share: number): string {
  return `${(100 * share).toLocaleString('en', { maximumFractionDigits: 2 })} %`;
}
