'use agent';
'use strict';
"use agent"; import { useModel } from '@flue/runtime'; // expect: FLUE1004 hint
export function Agent() {
  useModel('openai/gpt-5');
}
