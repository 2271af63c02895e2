import { defineSubagent, usePersistentState } from '@flue/runtime';
export const s = defineSubagent({
  name: 's',
  description: 'd',
  agent() {
    usePersistentState('n', 0); // expect: FLUE2303 error
  },
});
