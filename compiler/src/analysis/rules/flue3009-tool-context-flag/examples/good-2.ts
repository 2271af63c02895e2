'use agent';
import { useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool({ ...t1, run: (ctx) => ctx.data?.id ?? null });
}
