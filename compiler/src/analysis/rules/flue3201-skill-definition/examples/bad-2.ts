import { defineSkill } from '@flue/runtime';
export const s = defineSkill({
  name: 'refunds',
  description: 'd',
  instructions: 'x',
  files: { '../a': 'x' }, // expect: FLUE3201 error
});
