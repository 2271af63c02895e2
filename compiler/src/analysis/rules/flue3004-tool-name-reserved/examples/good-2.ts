export const x = { name: 'task' };
