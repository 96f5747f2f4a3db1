/** No row has an id before this one: where a list of ids begins. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
/** No row has an id behind this one. */
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
