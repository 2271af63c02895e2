export const s = import('./skills/a/SKILL.md'); // expect: FLUE3203 error
