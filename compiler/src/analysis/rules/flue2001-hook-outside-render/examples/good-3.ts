import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export class Kit {
  mount() {
    useTool(t1);
  }
}
