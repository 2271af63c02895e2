// expect below: FLUE5007 warning
// flue-ignore-file FLUE3003 -- vendor names

export const x = 1;
