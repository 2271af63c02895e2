'use agent';
import { useAgentStart, useDataWriter, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const write = useDataWriter('card');
  useAgentStart(() => { write({ at: new Map() }); }); // expect: FLUE2407 error
}
