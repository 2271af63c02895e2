import { defineSkill } from '@flue/runtime';
import s from './skills/a/SKILL.md';
export { defineSkill, s };
