import { init, useModel } from '@flue/runtime';
import { start } from '@flue/runtime/node';
function Triage() {
  useModel('openai/gpt-5');
}
await start({ agents: [Triage] });
init(Triage);
