export { enrollment } from './enrollment.ts';
