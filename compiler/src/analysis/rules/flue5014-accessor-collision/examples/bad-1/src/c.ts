'use agent';
import { useModel } from '@flue/runtime';
export function Sales() {
  useModel('openai/gpt-5');
}
Sales.agentName = 'desk';
