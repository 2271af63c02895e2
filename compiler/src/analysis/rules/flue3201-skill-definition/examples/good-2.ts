'use agent';
import { useModel, useSkill } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useSkill({ name: flag(), description: 'd', instructions: 'x' });
}
