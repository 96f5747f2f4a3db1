export { campaign } from './campaign.ts';
export { enrollment } from './enrollment.ts';
export { reconcile } from './reconcile.ts';
