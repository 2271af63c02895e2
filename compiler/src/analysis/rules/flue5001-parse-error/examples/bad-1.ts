'use agent';
export function Agent( {
// expect below: FLUE5001 error
