'use agent'; // expect: FLUE1005 info

export const limit = 3;
