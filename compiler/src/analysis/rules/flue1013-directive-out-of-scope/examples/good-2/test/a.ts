'use agent';
export function Agent() {}
