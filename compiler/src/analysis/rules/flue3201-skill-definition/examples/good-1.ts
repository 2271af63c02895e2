import { defineSkill } from '@flue/runtime';
export const s = defineSkill({
  name: 'refunds-v2',
  description: 'd',
  instructions: 'x',
  files: { 'ref/a.md': 'x' },
});
