'Use-Agent';  // expect: FLUE1002 error
export function Agent() {}
