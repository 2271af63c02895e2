'use agent';
import { useDataWriter, useModel } from '@flue/runtime';
export function Unmounted(props) {
  useModel('openai/gpt-5');
  useDataWriter(props.id);
}
