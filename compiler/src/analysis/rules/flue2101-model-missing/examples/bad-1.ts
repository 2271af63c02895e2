'use agent';

export function Agent(props) { // expect: FLUE2101 error
  return 'x';
}
