import { defineSubagent } from '@flue/runtime';
export const s = defineSubagent({
  name: 's',
  description: 'd',
  agent(p) {
    return p.id; // expect: FLUE2304 error
  },
});
