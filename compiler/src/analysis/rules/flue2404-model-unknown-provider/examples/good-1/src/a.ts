'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('acme/m1');
}
