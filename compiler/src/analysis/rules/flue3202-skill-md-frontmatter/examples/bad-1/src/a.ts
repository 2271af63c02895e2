import s from './skills/refunds/SKILL.md';

export { s };
