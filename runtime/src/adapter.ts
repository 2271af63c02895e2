/** The persistence port, for those who write a store: its types, offsets and errors. */

export { formatOffset, ORIGIN, parseOffset } from './ports/offset.ts';
export type * from './ports/store.ts';
export * from './ports/store-errors.ts';
