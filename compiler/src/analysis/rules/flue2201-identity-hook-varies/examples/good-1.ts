'use agent';
import { useDataWriter, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  if (props.id.startsWith('ui-')) useDataWriter('card');
}
