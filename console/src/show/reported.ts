/** Many providers report no deliveries: that none is known of mails that went out is not that none arrived. */
export function isUnreported(delivered: number, sent: number): boolean {
  return delivered === 0 && sent > 0;
}

export const UNREPORTED = 'None reported';
