import { endAll } from './global-setup.ts';

export default endAll;
