
import './setup.js';
'use agent'; // expect: FLUE1001 error
export function Agent() {}
