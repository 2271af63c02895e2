import type { X } from './missing-types.ts';
export const y: X | undefined = undefined;
