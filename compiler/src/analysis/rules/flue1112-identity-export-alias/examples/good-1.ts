'use agent';
import { useModel } from '@flue/runtime';
function Local() {
  useModel('openai/gpt-5');
}
Local.agentName = 'support';
export { Local as Name };
