import s from './skills/a/SKILL.md' with { type: 'skill' }; // expect: FLUE3203 error
export { s };
