'use agent';
import { useModel, useTool } from '@flue/runtime';
import { makeTool } from '../tools/made.ts';

function Greeter() {
  useModel(process.env.GREETER_MODEL ?? 'offline/demo');
  useTool(makeTool(process.env.REGION));
  return 'Greet.';
}

export default Greeter;
