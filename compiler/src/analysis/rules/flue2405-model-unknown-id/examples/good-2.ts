'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('cloudflare/@cf/any/model');
}
