'use agent'; // expect: FLUE1005 error
import { useInstruction } from '@flue/runtime';
export const limit = 3;
export function usePlan() {
  useInstruction('x');
}
