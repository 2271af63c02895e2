('use agent');  // expect: FLUE1003 error
export function Agent() {}
