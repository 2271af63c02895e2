
export function Agent() {
  'use agent'; // expect: FLUE1001 error
  return 'x';
}
