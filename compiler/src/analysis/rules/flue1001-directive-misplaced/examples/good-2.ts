
export const directive = 'use agent';
